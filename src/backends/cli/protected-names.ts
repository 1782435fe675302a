// Files that Cadre's policy closes whatever its scopes say (domain/protected-paths.ts), as lists for programs that are
// told once and not asked. A test holds that each of them is closed there.
import { existsSync } from "node:fs";
import { join } from "node:path";

const LIST = `
  .git .cadre .gitmodules .gitconfig .gitattributes .agents .aider .amazonq .claude .cline .clinerules .codeium
  .codex .continue .cursor .factory .gemini .gen .glee .goose .kiro .opencode .qwen .roo .windsurf .yeet .zed
  .idea .vscode .claude.json .cursorrules .goosehints .roomodes .mcp.json mcp.json .windsurfrules opencode.json
  opencode.jsonc .devcontainer .devcontainer.json .vimrc .exrc .github/workflows .github/actions .github/agents
  .gitlab-ci.yml .circleci .buildkite .husky .pre-commit-config.yaml .bashrc .bash_profile .profile .zshrc
  .zshenv .zprofile .envrc .tool-versions .mise.toml mise.toml .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .netrc
  .pypirc .gemrc .ripgreprc .curlrc .wgetrc .ssh .gnupg .aws .kube .docker
`;

export const PROTECTED_NAMES: readonly string[] = LIST.trim().split(/\s+/);

/** Those that are in a folder. */
export const protectedIn = (folder: string): readonly string[] =>
  PROTECTED_NAMES.filter((name) => existsSync(join(folder, name)));
