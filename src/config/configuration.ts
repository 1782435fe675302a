// The settings as callers ask for them: read anew each time, since files change.
import { invalidInput } from "../errors/index.ts";
import type { Configuration, Setting } from "../ports/index.ts";
import { type ConfigFile, type ConfigPlace, projectFile, userFile } from "./config-file.ts";
import { shown } from "./entries.ts";
import { KEY_NAMES, keyOf, type KeyName, knownKey } from "./keys.ts";
import type { ConfigValue } from "./kinds.ts";
import { isWider, loadConfig, type Sources } from "./load-config.ts";

export function configuration(place: ConfigPlace): Configuration {
  return {
    async list() {
      const { sources, warnings } = await loadConfig(place);
      return { settings: KEY_NAMES.map((key) => settingOf(key, sources)), warnings: [...warnings] };
    },
    async get(key) {
      const name = knownKey(key);
      return settingOf(name, (await loadConfig(place)).sources);
    },
    async set({ key, value, scope }) {
      const name = knownKey(key);
      const parsed = valueFor(name, value);
      const file = scope === "user" ? userFile(place) : projectFileFor(place, name, parsed);
      const { setConfig } = await import("./set-config.ts");
      await setConfig(file, name, parsed);
      return { file: file.path };
    },
  };
}

const settingOf = (key: KeyName, sources: Sources): Setting => ({
  key,
  ...sources[key],
  fallback: keyOf(key).fallback,
  summary: keyOf(key).summary,
});

function valueFor(key: KeyName, value: ConfigValue): ConfigValue {
  const { schema, wants, fromText } = keyOf(key).kind;
  const parsed = schema.safeParse(typeof value === "string" ? fromText(value) : value);
  if (parsed.success) return parsed.data;
  throw invalidInput(`"${key}" must be ${wants}, not ${shown(value)}`, { hint: keyOf(key).summary, facts: { key } });
}

function projectFileFor(place: ConfigPlace, key: KeyName, value: ConfigValue): ConfigFile {
  const file = projectFile(place);
  const { fallback, userOnly, notProject } = keyOf(key);
  const isPersonal = userOnly === true || notProject === true;
  if (file === null) throw invalidInput("there is no project here to set it for", { hint: "Make one: cadre init" });
  if (isPersonal || isWider(key, value, fallback)) {
    const why = isPersonal ? "only the user's own may say this" : `${shown(value)} is wider than ${shown(fallback)}`;
    throw invalidInput(`a project's file may only tighten: "${key}": ${why}`, {
      hint: "Leave out --project to set it for yourself.",
      facts: { key },
    });
  }
  return file;
}
