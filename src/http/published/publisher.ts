import { TextDecoder } from 'node:util';
import { hashOfFiles } from '../../agents/index.js';
import { nextTurn, OneAtATime, orUndefined } from '../../core/index.js';
import { type SkillSearch, SkillSearchError } from '../../index.js';
import type { UnpublishedListener } from '../../mcp/index.js';
import { JSON_TYPE } from '../call.js';
import {
  archiveOf,
  bytesOf,
  filesOf,
  type Publication,
  type PublishedEntry,
  type PublishedPath,
  type PublishRule,
  publicationOf,
  readPublishedPath,
  type Turn,
} from './publication.js';

/** What is sent for a path. */
export interface PublishedFile {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Of the body, in hexadecimal digits, where it is known. */
  readonly sha256?: string;
}

/** The form in which `npx skills` downloads the skills of some repositories. */
export interface SkillDownload {
  readonly files: readonly { readonly path: string; readonly contents: string }[];
  /** SHA-256 of paths and contents, as `skills-lock.json` has it. */
  readonly hash: string;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

/** Skills that an address tells of, by name. */
type Entries = ReadonlyMap<string, PublishedEntry>;

/** Milliseconds that others may have to wait while a publication is made. */
const LONGEST_TURN = 5;

/** Knows what is published of the newest state of a catalogue. It is looked through when somebody asks first. */
export class Publisher {
  readonly #search: SkillSearch;
  readonly #rules: readonly PublishRule[];
  readonly #told: UnpublishedListener;
  #stamp: string | undefined;
  #current: Promise<Publication> | undefined;
  readonly #reading = new OneAtATime();

  constructor(search: SkillSearch, rules: readonly PublishRule[], told: UnpublishedListener) {
    this.#search = search;
    this.#rules = rules;
    this.#told = told;
  }

  /** @throws {SkillSearchError} `INVALID_OPTION` if too many skills are chosen; what the search throws */
  current(): Promise<Publication> {
    const { stamp } = this.#search.stats();
    if (this.#current !== undefined && stamp === this.#stamp) return this.#current;
    const making = this.#make();
    this.#stamp = stamp;
    this.#current = making;
    making.catch((error: unknown) => {
      // What is chosen stays too much until the next load; another failure may be over with the next request.
      const lasts = error instanceof SkillSearchError && error.code === 'INVALID_OPTION';
      if (!lasts && this.#current === making) this.#current = undefined;
    });
    return making;
  }

  /**
   * The file at a path; undefined if nothing is published there.
   *
   * @param turn waits until it is the turn of whoever asks
   */
  async file(path: string, turn: Turn): Promise<PublishedFile | undefined> {
    const asked = readPublishedPath(path);
    if (asked === undefined) return undefined;
    const { byId, byName } = await this.#answering();
    if (asked.id === undefined) return this.#fileOf(asked, byName, turn);
    const entry = byId.get(asked.id);
    return entry === undefined ? undefined : this.#fileOf(asked, new Map([[entry.name, entry]]), turn);
  }

  /** One at a time is read, each in turns: it may be 16 MiB, and is held in memory as a whole. */
  #inLine<T>(turn: Turn, read: (turn: Turn) => Promise<T>): Promise<T> {
    return this.#reading.run(async () => {
      await turn();
      return read(whenLong(turn));
    });
  }

  /**
   * The address of a published skill, for installers. A page and a search answer, too, where nothing can be published.
   *
   * @returns undefined if it is not published
   */
  async addressOf(id: string, publicUrl: string): Promise<string | undefined> {
    const publication = await this.current().catch(() => undefined);
    // With a slash at its end, or `npx skills` would take it for a repository and ask GitHub about it.
    return publication?.byId.has(id) === true ? `${publicUrl}/skills/${encodeURIComponent(id)}/` : undefined;
  }

  /** A skill of a repository on GitHub; undefined if it is not published, or has a file that is no text. */
  async download(owner: string, repository: string, name: string, turn: Turn): Promise<SkillDownload | undefined> {
    const { byDownload } = await this.#answering();
    const entry = byDownload.get(`${owner}/${repository}/${name}`.toLowerCase());
    if (entry === undefined) return undefined;
    return this.#inLine(turn, async (next) => {
      const read = await filesOf(this.#search, entry, next);
      const contents = read.map(({ bytes }) => orUndefined(() => UTF8.decode(bytes)));
      if (contents.includes(undefined)) return undefined;
      return { files: read.map(({ path }, i) => ({ path, contents: contents[i]! })), hash: hashOfFiles(read) };
    });
  }

  /** A search whose catalogue has another state meanwhile is looked through again: pages of two states do not fit. */
  async #make(): Promise<Publication> {
    const turn = whenLong(nextTurn);
    for (;;) {
      const { stamp } = this.#search.stats();
      const made = await publicationOf(this.#search, this.#rules, this.#told, turn);
      if (this.#search.stats().stamp === stamp) return made;
      await turn();
    }
  }

  /** Clients are not told which option is at fault. */
  async #answering(): Promise<Publication> {
    try {
      return await this.current();
    } catch (cause) {
      if (!(cause instanceof SkillSearchError) || cause.code !== 'INVALID_OPTION') throw cause;
      throw new SkillSearchError('SERVICE_UNAVAILABLE', cause.message, { cause });
    }
  }

  async #fileOf(asked: PublishedPath, entries: Entries, turn: Turn): Promise<PublishedFile | undefined> {
    if (asked.kind === 'index') return { type: JSON_TYPE, body: JSON.stringify(indexOf(entries)) };
    if (asked.kind === 'legacy-index') return { type: JSON_TYPE, body: JSON.stringify(legacyIndexOf(entries)) };
    const entry = entries.get(asked.name);
    if (entry === undefined) return undefined;
    const { id, files, isSingle, hasPlainPaths, digest } = entry;
    if (asked.kind === 'archive') {
      if (isSingle) return undefined;
      const body = await this.#inLine(turn, (next) => archiveOf(this.#search, entry, next));
      return { type: 'application/gzip', body, sha256: digest.slice('sha256:'.length) };
    }
    const path = asked.kind === 'file' ? asked.path : 'SKILL.md';
    const file = (asked.kind === 'file' ? hasPlainPaths : isSingle) && files.find((one) => one.path === path);
    if (!file) return undefined;
    // Nothing that a browser would run or show as a page.
    const type = path.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'application/octet-stream';
    const body = await this.#inLine(turn, async () => bytesOf(this.#search, id, path) as Uint8Array<ArrayBuffer>);
    return { type, body, sha256: file.sha256 };
  }
}

/** Waits for a turn only if the one before has lasted long. */
function whenLong(turn: Turn): Turn {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < LONGEST_TURN) return;
    await turn();
    last = performance.now();
  };
}

/** Version 0.2.0. The addresses are beside the index, wherever a proxy has it. */
function indexOf(entries: Entries): object {
  const skills = [...entries.values()].map(({ name, description, digest, isSingle }) => ({
    name,
    type: isSingle ? 'skill-md' : 'archive',
    description,
    url: isSingle ? `${name}/SKILL.md` : `${name}.tar.gz`,
    digest,
  }));
  return { $schema: SCHEMA, skills };
}

/** Version 0.1.0. Clients refuse the whole index for one path that they do not take. */
function legacyIndexOf(entries: Entries): object {
  const plain = [...entries.values()].filter(({ hasPlainPaths }) => hasPlainPaths);
  const skills = plain.map(({ name, description, files }) => ({
    name,
    description,
    files: ['SKILL.md', ...files.map(({ path }) => path).filter((path) => path !== 'SKILL.md')],
  }));
  return { skills };
}
