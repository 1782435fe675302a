// Where programs of others find their models, and by what they are let in. This is their makers' business and no
// agent's `network`: an agent without any network still needs its model.

export interface ModelApi {
  /** Where it is, unless the variable below says otherwise. */
  readonly url: string;
  /** The variable that says where it is, if there is one that the program follows. */
  readonly baseUrl?: string | undefined;
  /** Variables of which one holds a key. */
  readonly keys: readonly string[];
  /** Hosts that it talks to besides where no key is set, because somebody is logged in. */
  readonly loginHosts: readonly string[];
  /** Others of its maker's that it does not work without. */
  readonly alsoHosts?: readonly string[] | undefined;
  /**
   * What it has to ask for, behind that address; `*` is one name. Where that is known, the key can be kept from it. Not
   * among them: files, batches, and whatever else the key could be used for.
   */
  readonly paths: readonly string[];
}

export const ANTHROPIC: ModelApi = {
  url: "https://api.anthropic.com",
  baseUrl: "ANTHROPIC_BASE_URL",
  keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  loginHosts: ["platform.claude.com", "console.anthropic.com"],
  paths: ["/v1/messages", "/v1/messages/count_tokens", "/v1/models", "/v1/models/*"],
};

export const OPENAI: ModelApi = {
  url: "https://api.openai.com/v1",
  baseUrl: "OPENAI_BASE_URL",
  keys: ["OPENAI_API_KEY", "CODEX_API_KEY"],
  loginHosts: ["chatgpt.com", "auth.openai.com"],
  paths: ["/responses", "/responses/compact", "/chat/completions", "/models", "/models/*"],
};

export const GOOGLE: ModelApi = {
  url: "https://generativelanguage.googleapis.com",
  baseUrl: "GOOGLE_GEMINI_BASE_URL",
  keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  loginHosts: ["cloudcode-pa.googleapis.com", "oauth2.googleapis.com", "www.googleapis.com", "accounts.google.com"],
  paths: ["/v1beta", "/v1", "/v1alpha"].flatMap((version) => [
    `${version}/models`,
    `${version}/models/*`,
    ...["generateContent", "streamGenerateContent", "countTokens"].map((method) => `${version}/models/*:${method}`),
  ]),
};

export const OPENROUTER: ModelApi = {
  url: "https://openrouter.ai/api/v1",
  keys: ["OPENROUTER_API_KEY"],
  loginHosts: [],
  paths: [],
};

export const DASHSCOPE: ModelApi = {
  url: "https://dashscope.aliyuncs.com",
  keys: ["DASHSCOPE_API_KEY"],
  loginHosts: ["dashscope-intl.aliyuncs.com"],
  paths: [],
};

export const COPILOT: ModelApi = {
  url: "https://api.githubcopilot.com",
  baseUrl: "COPILOT_PROVIDER_BASE_URL",
  keys: ["COPILOT_PROVIDER_API_KEY"],
  loginHosts: [
    "api.github.com",
    "github.com",
    "api.individual.githubcopilot.com",
    "api.business.githubcopilot.com",
    "api.enterprise.githubcopilot.com",
  ],
  paths: [],
};

/** Known by their documents, as far as they say: what else each wants to reach is in the task as refused. */
export const CURSOR: ModelApi = {
  url: "https://api2.cursor.sh",
  keys: ["CURSOR_API_KEY"],
  loginHosts: ["cursor.com", "authenticate.cursor.sh"],
  alsoHosts: ["api3.cursor.sh", "api5.cursor.sh", "agent.api5.cursor.sh", "agentn.api5.cursor.sh"],
  paths: [],
};

export const FACTORY: ModelApi = {
  url: "https://api.factory.ai",
  keys: ["FACTORY_API_KEY"],
  loginHosts: ["auth.factory.ai"],
  alsoHosts: ["app.factory.ai"],
  paths: [],
};

export const AMP: ModelApi = {
  url: "https://ampcode.com",
  keys: ["AMP_API_KEY"],
  loginHosts: [],
  paths: [],
};

export const KIRO: ModelApi = {
  url: "https://q.us-east-1.amazonaws.com",
  keys: ["KIRO_API_KEY"],
  loginHosts: ["oidc.us-east-1.amazonaws.com"],
  alsoHosts: ["codewhisperer.us-east-1.amazonaws.com"],
  paths: [],
};

/** The same makers' APIs, as goose names their places: without the path of their version. */
export const GOOSE_APIS: readonly ModelApi[] = [
  { ...ANTHROPIC, baseUrl: "ANTHROPIC_HOST" },
  {
    ...OPENAI,
    url: "https://api.openai.com",
    baseUrl: "OPENAI_HOST",
    paths: OPENAI.paths.map((path) => `/v1${path}`),
  },
  { ...GOOGLE, baseUrl: undefined, paths: [] },
  OPENROUTER,
  { url: "http://localhost:11434", baseUrl: "OLLAMA_HOST", keys: ["OLLAMA_HOST"], loginHosts: [], paths: [] },
];
