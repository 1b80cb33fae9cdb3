import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Dialogue,
  type InitPlan,
  InitRecord,
  type InitResult,
  type InitTask,
  runInit,
} from '../../../src/agents/index.js';
import { type Surroundings, surroundings, userFolders } from '../../../src/core/index.js';
import { scratchFolder } from '../../scratch-folder.js';

/** How a run differs from one that adds everything to every agent that is found. */
export interface RunOptions {
  readonly agents?: readonly string[];
  readonly parts?: InitTask['parts'];
  readonly isRemoval?: boolean;
  /** The path of the command line: another one after an upgrade. */
  readonly entry?: string;
  /** Whether a catalogue was named. */
  readonly namesDatabase?: boolean;
  readonly dialogue?: Partial<Dialogue>;
}

/** A made-up home folder with configurations of agents. */
export class HomeOfAgents {
  readonly home: string = scratchFolder();
  readonly of: Surroundings;

  constructor(
    files: Readonly<Record<string, string>>,
    platform: NodeJS.Platform = 'linux',
    env: Readonly<Record<string, string>> = {},
  ) {
    const inside = Object.entries(env).map(([name, path]) => [name, join(this.home, path)]);
    this.of = surroundings({ platform, home: this.home, env: Object.fromEntries(inside), cwd: this.home });
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  get database(): string {
    return join(userFolders(this.of).data, 'skills.db');
  }

  get record(): InitRecord {
    return new InitRecord(join(userFolders(this.of).data, 'init.json'));
  }

  /** @param path that ends with a slash is a folder */
  write(path: string, text: string, mode?: number): void {
    const whole = join(this.home, path);
    mkdirSync(path.endsWith('/') ? whole : dirname(whole), { recursive: true });
    if (path.endsWith('/')) return;
    writeFileSync(whole, text);
    if (mode !== undefined) chmodSync(whole, mode);
  }

  read(path: string): string {
    return readFileSync(join(this.home, path), 'utf8');
  }

  task(options: RunOptions = {}): InitTask {
    const { agents, parts = ['server', 'hook', 'use'], isRemoval = false, entry = '/opt/skills/main.js' } = options;
    const { namesDatabase = false } = options;
    const { of, database, record } = this;
    return {
      ...{ of, agents, parts, isRemoval, record },
      program: { node: '/usr/bin/node', entry, database, namesDatabase, semantic: true },
      buildCatalogue: async () => {
        mkdirSync(dirname(database), { recursive: true });
        writeFileSync(database, 'a catalogue');
      },
      now: () => new Date('2026-11-23T04:05:06Z'),
    };
  }

  run(options: RunOptions = {}): Promise<InitResult> {
    const all = async ({ agents }: InitPlan): Promise<readonly string[]> => agents.map(({ agent }) => agent);
    return runInit(this.task(options), { show: () => {}, choose: all, ...options.dialogue });
  }

  /** What happened to each entry, in a short form: `claude-code server add`. */
  async actions(options: RunOptions = {}): Promise<readonly string[]> {
    const { agents } = await this.run(options);
    return agents.flatMap(({ agent, entries }) => entries.map(({ part, action }) => `${agent} ${part} ${action}`));
  }

  /** Everything in the home: each file and folder with its mode and what it has in it. */
  get everything(): Readonly<Record<string, string>> {
    const paths = readdirSync(this.home, { recursive: true, encoding: 'utf8' }).sort();
    return Object.fromEntries(paths.map((path) => [path, describe(join(this.home, path))]));
  }
}

function describe(path: string): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  const mode = (stat.mode & 0o777).toString(8);
  return stat.isDirectory() ? `folder ${mode}` : `${mode} ${readFileSync(path, 'latin1')}`;
}
