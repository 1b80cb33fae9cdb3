import { TextDecoder } from 'node:util';
import { type SkillSearch, SkillSearchError } from '../../index.js';
import { hashOfFiles } from '../../install/folder-hash.js';
import type { UnpublishedListener } from '../../mcp/skills/unpublished-listener.js';
import { archiveOf, bytesOf, type Publication, type PublishedEntry, publicationOf } from './publication.js';
import type { PublishRule } from './publish-rule.js';
import { type PublishedPath, readPublishedPath } from './published-path.js';

/** What is sent for a path. */
export interface PublishedFile {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** The form in which `npx skills` downloads the skills of some repositories. */
export interface SkillDownload {
  readonly files: readonly { readonly path: string; readonly contents: string }[];
  /** SHA-256 of paths and contents, as `skills-lock.json` has it. */
  readonly hash: string;
}

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Milliseconds that others may have to wait while a publication is made. */
const LONGEST_TURN = 5;

/** Knows what is published of the newest state of a catalogue. It is looked through when somebody asks first. */
export class Publisher {
  readonly #search: SkillSearch;
  readonly #rules: readonly PublishRule[];
  readonly #told: UnpublishedListener;
  #stamp: string | undefined;
  #current: Promise<Publication> | undefined;

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

  /** The file at a path; undefined if nothing is published there. */
  async file(path: string): Promise<PublishedFile | undefined> {
    const asked = readPublishedPath(path);
    if (asked === undefined) return undefined;
    const { byId, byName } = await this.#answering();
    if (asked.id === undefined) return this.#fileOf(asked, byName);
    const entry = byId.get(asked.id);
    return entry === undefined ? undefined : this.#fileOf(asked, new Map([[entry.name, entry]]));
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
  async download(owner: string, repository: string, name: string): Promise<SkillDownload | undefined> {
    const { byDownload } = await this.#answering();
    const entry = byDownload.get(`${owner}/${repository}/${name}`.toLowerCase());
    if (entry === undefined) return undefined;
    const read = entry.files.map(({ path, executable }) => {
      const bytes = bytesOf(this.#search, entry.id, path);
      return { path, executable, bytes, contents: textOf(bytes) };
    });
    const files = read.flatMap(({ path, contents }) => (contents === undefined ? [] : [{ path, contents }]));
    return files.length === read.length ? { files, hash: hashOfFiles(read) } : undefined;
  }

  /** A search whose catalogue has another state meanwhile is looked through again: pages of two states do not fit. */
  async #make(): Promise<Publication> {
    let last = performance.now();
    const turn = async (): Promise<void> => {
      if (performance.now() - last < LONGEST_TURN) return;
      await new Promise(setImmediate);
      last = performance.now();
    };
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

  #fileOf(asked: PublishedPath, entries: ReadonlyMap<string, PublishedEntry>): PublishedFile | undefined {
    if (asked.kind === 'index') return { type: JSON_TYPE, body: JSON.stringify(indexOf(entries)) };
    if (asked.kind === 'legacy-index') return { type: JSON_TYPE, body: JSON.stringify(legacyIndexOf(entries)) };
    const entry = entries.get(asked.name);
    if (entry === undefined) return undefined;
    const { id, files, isSingle, hasPlainPaths } = entry;
    if (asked.kind === 'archive') {
      return isSingle ? undefined : { type: 'application/gzip', body: archiveOf(this.#search, id, files) };
    }
    const path = asked.kind === 'file' ? asked.path : 'SKILL.md';
    const isThere = asked.kind === 'file' ? hasPlainPaths && files.some((file) => file.path === path) : isSingle;
    if (!isThere) return undefined;
    // Nothing that a browser would run or show as a page.
    const type = path.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'application/octet-stream';
    return { type, body: Uint8Array.from(bytesOf(this.#search, id, path)) };
  }
}

/** Version 0.2.0. The addresses are beside the index, wherever a proxy has it. */
function indexOf(entries: ReadonlyMap<string, PublishedEntry>): object {
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
function legacyIndexOf(entries: ReadonlyMap<string, PublishedEntry>): object {
  const plain = [...entries.values()].filter(({ hasPlainPaths }) => hasPlainPaths);
  const skills = plain.map(({ name, description, files }) => ({
    name,
    description,
    files: ['SKILL.md', ...files.map(({ path }) => path).filter((path) => path !== 'SKILL.md')],
  }));
  return { skills };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
