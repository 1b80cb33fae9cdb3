import { AGENTS } from './agents.js';

const PREFIXING: ReadonlySet<string> = new Set(
  AGENTS.flatMap(({ name, prefixesPlugins }) => (prefixesPlugins ? [name] : [])),
);

/** What an agent calls a skill: by its name, or `plugin:skill` if it belongs to a plugin and the agent does so. */
export function calledAs(agent: string, plugin: string | undefined, name: string): string {
  return plugin !== undefined && PREFIXING.has(agent) ? `${plugin}:${name}` : name;
}
