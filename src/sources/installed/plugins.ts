import type { AgentProblem } from './agent-problem.js';

/** A folder with skills of a plugin, or of one skill. */
export interface PluginFolder {
  /** Absolute and real. */
  readonly path: string;
  /** Name of the plugin, or of the extension. */
  readonly plugin: string;
}

/** What an agent's plugins bring. */
export interface Plugins {
  readonly folders: readonly PluginFolder[];
  /** Real paths of the folders of projects that plugins are meant for, of those that count here. */
  readonly projects: readonly string[];
  readonly problems: readonly AgentProblem[];
}

/** Where an agent's plugins are looked for. */
export interface PluginPlace {
  /** The agent's own folder. */
  readonly own: string;
  /** Its folders of the machine. */
  readonly system: readonly string[];
  /** Real path of the working folder. */
  readonly cwd: string;
  /** Real paths of the folders of the project, the nearest first. */
  readonly levels: readonly string[];
}
