// What the protocol's library is told, and what it has us keep, while a person logs in.
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { resourceUrlFromServerUrl } from "@modelcontextprotocol/client";
import { ServerFault } from "../message-lines.ts";
import { safeAddress } from "./authorization-fetch.ts";
import type { Grant, LoginFile, LoginKey } from "./login-file.ts";

/** As whom to log in, where somebody has registered Cadre by hand. */
export interface GivenClient {
  /** An https address is that of a document which describes the client. */
  readonly id: string;
  readonly secret?: string | undefined;
}

export interface LoginProviderParts {
  readonly url: URL;
  readonly key: LoginKey;
  readonly file: LoginFile;
  readonly redirect: string;
  readonly state: string;
  readonly client?: GivenClient | undefined;
  /** Shows the address where a person logs in. Nothing of ours opens it. */
  readonly show: (address: string) => void;
}

export class LoginProvider implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  validateResourceURL?: (serverUrl: string | URL, resource?: string) => Promise<URL>;
  /** What was given in the end. */
  grant: Grant | undefined;
  readonly #parts: LoginProviderParts;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier: string | undefined;
  #indicator: string | undefined;

  constructor(parts: LoginProviderParts) {
    this.#parts = parts;
    const { client } = parts;
    if (client !== undefined && isAddress(client.id)) this.clientMetadataUrl = client.id;
  }

  get redirectUrl(): string {
    return this.#parts.redirect;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "Cadre",
      redirect_uris: [this.#parts.redirect],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    };
  }

  state(): string {
    return this.#parts.state;
  }

  clientInformation(about?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { client, file, redirect } = this.#parts;
    if (about === undefined) return undefined;
    const { issuer } = about;
    if (client !== undefined && !isAddress(client.id))
      return { client_id: client.id, ...(client.secret === undefined ? {} : { client_secret: client.secret }), issuer };
    const known = file.client(issuer);
    // One that was registered for another way back is of no use.
    if (known === undefined || (known.redirect !== null && known.redirect !== redirect)) return undefined;
    return { ...known.information, issuer };
  }

  async saveClientInformation(
    information: StoredOAuthClientInformation,
    about?: OAuthClientInformationContext,
  ): Promise<void> {
    if (about !== undefined) await this.#keepClient(information, about.issuer);
  }

  /** None: a person logs in because what is there is not enough. */
  tokens(): undefined {
    return undefined;
  }

  async saveTokens(tokens: StoredOAuthTokens, about?: OAuthClientInformationContext): Promise<void> {
    const { file, key } = this.#parts;
    const information = this.clientInformation(about);
    if (about === undefined || information === undefined) throw new ServerFault("nobody says who gave the tokens");
    const { issuer } = about;
    await this.#keepClient(information, issuer);
    this.grant = { ...key, indicator: this.#indicator ?? key.resource, issuer, tokens };
    await file.keepGrant(this.grant);
  }

  saveResourceUrl(indicator: string): void {
    this.#indicator = indicator;
  }

  redirectToAuthorization(address: URL): void {
    this.#parts.show(safeAddress(address, this.#parts.url).href);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    if (this.#verifier === undefined) throw new ServerFault("no login was begun");
    return this.#verifier;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  saveDiscoveryState(found: OAuthDiscoveryState): void {
    this.#discovery = found;
    // A token is always asked for with what it is for, also where the server does not say what it calls itself.
    if (found.resourceMetadata === undefined)
      this.validateResourceURL = async () => resourceUrlFromServerUrl(this.#parts.url);
  }

  async #keepClient(information: StoredOAuthClientInformation, issuer: string): Promise<void> {
    const { client, file, redirect } = this.#parts;
    const isRegistered = client === undefined || (isAddress(client.id) && information.client_id !== client.id);
    const { issuer: _issuer, ...kept } = information;
    await file.keepClient({ issuer, information: kept, redirect: isRegistered ? redirect : null });
  }
}

const isAddress = (id: string): boolean => id.startsWith("https://");
