// Tokens as their makers would give them, put together here so that none stands in a file.

const LETTERS = "aB3dE5gH7jK9mN2pQ4sT6vW8yZ";
const some = (length: number): string => LETTERS.repeat(Math.ceil(length / LETTERS.length)).slice(0, length);
const hex = (length: number): string => "0123456789abcdef".repeat(8).slice(0, length);

const lines = Array.from({ length: 6 }, (_, at) => `${at}${some(63)}`).join("\n");

export const TOKENS: Readonly<Record<string, string>> & {
  readonly "private-key": string;
  readonly "github-token": string;
} = {
  "private-key": `-----BEGIN RSA PRIVATE KEY-----\n${lines}\n-----END RSA PRIVATE KEY-----`,
  "anthropic-key": `sk-ant-api03-${some(93)}AA`,
  "openai-key": `sk-proj-${some(100)}`,
  "openrouter-key": `sk-or-v1-${hex(64)}`,
  "google-key": `AIza${some(35)}`,
  "github-token": `ghp_${some(36)}`,
  "gitlab-token": `glpat-${some(20)}`,
  "aws-key": `AKIAABCDEFGHIJKLMNOP`,
  "aws-secret": some(40),
  "slack-token": `xoxb-123456789012-1234567890123-${some(24)}`,
  "slack-webhook": `T0123ABCD/B0123ABCD/${some(24)}`,
  "stripe-key": `sk_live_${some(24)}`,
  "npm-token": `npm_${some(36)}`,
  "pypi-token": `pypi-AgE${some(60)}`,
  "sendgrid-key": `SG.${some(22)}.${some(43)}`,
  "huggingface-token": `hf_${some(34)}`,
  "groq-key": `gsk_${some(52)}`,
  "xai-key": `xai-${some(80)}`,
  "digitalocean-token": `dop_v1_${hex(64)}`,
  "vault-token": `hvs.${some(24)}`,
  "linear-key": `lin_api_${some(40)}`,
  "shopify-token": `shpat_${hex(32)}`,
  jwt: `eyJ${some(20)}.eyJ${some(30)}.${some(43)}`,
};
