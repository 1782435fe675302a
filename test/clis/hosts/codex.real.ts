import { eachHost } from "./each-host.ts";

eachHost("codex");
