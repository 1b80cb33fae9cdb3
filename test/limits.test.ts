import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAccess } from '../src/access/index.js';
import { LockFile } from '../src/agents/install/lock-file.js';
import { projectLevels } from '../src/core/index.js';
import * as limits from '../src/core/limits.js';
import { readForm } from '../src/http/pages/search/question-form.js';
import { textPart } from '../src/http/pages/text/text-parts.js';
import { readKeywordQuery } from '../src/http/read-query.js';
import { readQuestion } from '../src/keyword/question.js';
import { Work } from '../src/keyword/work.js';
import { Ingest } from '../src/load/ingest.js';
import { ReportBuilder } from '../src/load/reports.js';
import { resolveKeywordQuery, resolveListQuery, resolveSemanticQuery } from '../src/query.js';
import { Patience } from '../src/search/patience.js';
import { readCompatibleModels } from '../src/semantic/model-folder.js';
import { readOwnSettings } from '../src/semantic/settings.js';
import { manifestText, readManifest } from '../src/share/snapshot/manifest.js';
import { checkGitObjects } from '../src/sources/folder/check-git-objects.js';
import { readSkillMarkdown } from '../src/sources/folder/front-matter.js';
import { readHead } from '../src/sources/folder/git-head.js';
import { claudePlugins } from '../src/sources/installed/claude-plugins.js';
import { readJson } from '../src/sources/installed/read-json.js';
import { boundedBytes } from '../src/sources/json/bounded-bytes.js';
import { hasTooManyValues } from '../src/sources/json/has-too-many-values.js';
import { JsonArray } from '../src/sources/json/json-array.js';
import { JsonLines } from '../src/sources/json/json-lines.js';
import type { JsonSplitter } from '../src/sources/json/json-piece.js';
import { checkRow } from '../src/sources/rows/check-row.js';
import { packLabels, unpackLabels } from '../src/store/read/columns.js';
import { MemoryCatalogue } from '../src/store/write/memory-catalogue.js';
import { GatheredChanges } from '../src/watch/gathered-changes.js';
import { temporaryFolder } from './sources/folder/temporary-folder.js';

/** How a bound is held: by what is accepted at it and one beyond it, or by a test elsewhere. */
type Bound =
  | { readonly accepts: (amount: number) => boolean | Promise<boolean> }
  | { readonly file: string; readonly test: string };

const BOUNDS: Readonly<
  Record<
    Exclude<
      keyof typeof limits,
      | 'SERVER_LIMITS'
      | 'STDIO_LIMITS'
      | 'MCP_HTTP_LIMITS'
      | 'LOCAL_LIMITS'
      | 'HOOK_LIMITS'
      | 'POSTGRES_LIMITS'
      | 'SHARED_CATALOGUE_LIMITS'
      | 'SNAPSHOT_RATE_LIMITS'
    >,
    Bound
  >
> = {
  MAX_MANIFEST_BYTES: { accepts: (bytes) => passes(() => readManifest(manifestOf(4).padEnd(bytes), 'here')) },
  MAX_SNAPSHOT_BYTES: {
    file: 'snapshot/manifest.test.ts',
    test: 'of 64 GiB is read, and of a byte more it is refused',
  },
  MAX_REPEATED_BYTES: {
    file: 'snapshot/manifest.test.ts',
    test: 'may repeat as many bytes as its chunks have, and 64 MiB, and no chunk more',
  },
  MAX_SNAPSHOT_CHECK_TIME: { file: 'sqlite/check-file.test.ts', test: 'is ended when it takes longer than it may' },
  MAX_FILE_CHECK_TIME: { file: 'sqlite/check-file.test.ts', test: 'is ended when it takes longer than it may' },
  MAX_CHUNK_BYTES: { accepts: (bytes) => passes(() => readManifest(manifestOf(bytes), 'here')) },
  MAX_CONFIG_BYTES: {
    file: 'init/config-file.test.ts',
    test: 'is refused where it is larger than 64 MiB',
  },
  MAX_KEYWORD_QUERY_LENGTH: {
    accepts: (length) => passes(() => readKeywordQuery(`q=${encodeURIComponent('😀'.repeat(length - 1))}a`, false)),
  },
  MAX_SEMANTIC_QUERY_LENGTH: {
    accepts: (length) => resolveSemanticQuery({ q: `${'😀'.repeat(length - 1)}a` }).q.length === 2 * length - 1,
  },
  MAX_SEMANTIC_LIMIT: { accepts: (limit) => passes(() => resolveSemanticQuery({ q: 'a', limit })) },
  MAX_PAGE: { accepts: (page) => passes(() => resolveKeywordQuery({ q: 'a', page })) },
  MAX_FILTER_TIME: { accepts: (updatedAfter) => passes(() => resolveListQuery({ updatedAfter })) },
  MAX_FACET_VALUES: {
    file: 'search/facets.test.ts',
    test: 'has a hundred values at most, the most frequent, then in the order of their keys',
  },
  MAX_LIMIT: { accepts: (limit) => passes(() => resolveKeywordQuery({ q: 'a', limit })) },
  MAX_SUGGESTIONS: {
    file: 'search/suggest.test.ts',
    test: 'refuse a limit that is no integer from 1 to 20, and a text that is none',
  },
  MAX_CHANGED_IN_PLACE: {
    file: 'load/update-skills.test.ts',
    test: 'are loaded as a whole if they are more than 500 rows or ids',
  },
  MAX_LOADS_AGAIN: {
    file: 'load/load-shared.test.ts',
    test: 'gives up after so many times',
  },
  MAX_UNINDEXED: {
    file: 'load/update-skills.test.ts',
    test: 'are indexed with all others when more than 1,000 came or went',
  },
  MAX_SUPERSEDED: {
    file: 'store/write/superseding.test.ts',
    test: 'what small changes leave for readers forgets the oldest beyond so many skills',
  },
  MAX_FORGOTTEN: {
    file: 'store/write/superseding.test.ts',
    test: 'what is left of forgotten skills is dropped beyond so many of them',
  },
  MAX_CORRECTIONS: { file: 'keyword/steps/corrected-words.test.ts', test: 'by five words at most' },
  MAX_SIMILAR: { file: 'search/similar-skills.test.ts', test: 'refuses a limit that is no integer from 1 to 100' },
  TOKEN_CACHE_WORDS: { file: 'agents/count-tokens.test.ts', test: 'keeps the sizes of so many words at most' },
  MAX_READING_TIME: { file: 'search/patience.test.ts', test: 'is given up at the longest time for reading' },
  MAX_LONGEST_WAIT: { accepts: (longestWait) => passes(() => new Patience(longestWait).end()) },
  MAX_QUESTION_WORDS: { accepts: (count) => readQuestion(texts(count, 'w').join(' ')).looseWords.length === count },
  QUESTION_WORK: { accepts: (units) => Work.forQuestion(1).affords(units) },
  QUESTION_WORK_PER_SKILL: { accepts: (units) => Work.forQuestion(1_000_000).affords(1_000_000 * units) },
  EXPLAINED_TEXT: { file: 'search/explained-text.test.ts', test: 'is shared by the hits of a page' },
  MAX_ROW_BYTES: { accepts: (length) => isWhole(new JsonLines(), Buffer.alloc(length, '1')) },
  MAX_JSON_DEPTH: { accepts: (depth) => isWhole(new JsonArray(), Buffer.from(`[${nested(depth)}]`)) },
  MAX_FILE_BYTES: { accepts: (length) => isKept({ files: [{ filename: 'a', text: 'x'.repeat(length) }] }) },
  MAX_FILES: { accepts: (count) => isKept({ files: texts(count, 'f').map((filename) => ({ filename, text: 'x' })) }) },
  MAX_CONTENT_FILES: { accepts: (count) => isKept({ files: texts(count, 'f').map((name) => complete(name, 'x')) }) },
  MAX_CONTENT_BYTES: { accepts: (length) => isKept({ files: [complete('a', Buffer.alloc(length))] }) },
  MAX_SKILL_BYTES: { file: 'sources/folder/skill-folder.test.ts', test: 'are at most a thousand, and 16 MiB' },
  MAX_NAME: { accepts: (length) => isKept({ name: '😀'.repeat(length) }) },
  MAX_DESCRIPTION: { accepts: (length) => isKept({ description: '😀'.repeat(length) }) },
  MAX_ID: { accepts: (length) => isKept({ id: '😀'.repeat(length) }) },
  MAX_LABEL: { accepts: (length) => isKept({ categories: ['c'.repeat(length)] }) },
  MAX_LABELS: { accepts: (count) => isKept({ categories: texts(count, 'c') }) },
  MAX_DISTINCT_LABELS: {
    accepts: (count) =>
      unpackLabels(packLabels(new Map(texts(count, 'c').map((label, i) => [label, [i]])))).size === count,
  },
  MAX_LISTED: {
    file: 'search/many-labels.test.ts',
    test: 'lists them in pages, the most frequent first, and loses none',
  },
  MAX_METADATA_BYTES: { accepts: (length) => isKept({ metadata: { a: 'x'.repeat(length - '{"a":""}'.length) } }) },
  MAX_FRONT_MATTER_BYTES: {
    accepts: (length) => isKept({ frontMatter: { a: 'x'.repeat(length - '{"a":""}'.length) } }),
  },
  MAX_ROW_VALUES: { accepts: (count) => !hasTooManyValues(Buffer.from('['.repeat(count).padEnd(2 ** 20))) },
  MAX_AGENT: { accepts: (length) => isKept({ installations: [{ agent: 'a'.repeat(length), scope: 'user' }] }) },
  MAX_INSTALLATIONS: {
    accepts: (count) => isKept({ installations: texts(count, 'a').map((agent) => ({ agent, scope: 'user' })) }),
  },
  MAX_LOCATION: { accepts: (length) => isPlace('p'.repeat(length)) },
  MAX_PROJECT_LEVELS: {
    accepts: async (count) => {
      const below = texts(count - 1, 'f').join('/');
      const root = await temporaryFolder({ '.git': '', [`${below}/file`]: '' });
      return (await projectLevels(join(root, below), '/home/nobody')).length === count;
    },
  },
  MAX_PLUGIN_LIST_BYTES: {
    accepts: async (length) => {
      const folder = await temporaryFolder({ 'list.json': '{}'.padEnd(length) });
      return (await readJson(join(folder, 'list.json'), folder)).kind === 'object';
    },
  },
  MAX_PLUGINS: {
    accepts: async (count) => {
      const plugins = Object.fromEntries(texts(count, 'p').map((name) => [name, { installPath: 'nowhere' }]));
      const folder = await temporaryFolder({ 'plugins/installed_plugins.json': JSON.stringify({ plugins }) });
      return (await claudePlugins({ own: folder, system: [], cwd: folder, levels: [] })).problems.every(
        ({ hidesSkills }) => hidesSkills === undefined,
      );
    },
  },
  MAX_INSTALLED_FOLDERS: {
    file: 'installed/hostile-homes.test.ts',
    test: 'has as many folders as are entered, and one more',
  },
  MAX_UNPACKED_BYTES: { accepts: (bytes) => passes(() => readBytes(bytes, bytes)) },
  MAX_RATIO: { accepts: (ratio) => passes(() => readBytes(ratio * 2 ** 20, 2 ** 20)) },
  FREE_UNPACKED_BYTES: { accepts: (bytes) => passes(() => readBytes(bytes, 1)) },
  MAX_UNREADABLE_ROWS: {
    file: 'load/load-limits.test.ts',
    test: 'stops where it is not JSON 100,000 times, and no earlier',
  },
  MAX_LISTED_PROBLEMS: { accepts: (count) => ingested(count, {}).report.problems().warnings.length === 0 },
  MAX_SPARED: { accepts: (count) => ingested(count, { location: 'x' }).ingest.incomplete.size === 0 },
  MAX_GATHERED_EVENTS: {
    accepts: (count) => {
      const gathered = new GatheredChanges<string>({ quiet: 0, longest: 0 }, () => {});
      for (let i = 0; i < count; i++) gathered.add('source', String(i));
      return gathered.take().get('source')?.everything === false;
    },
  },
  MAX_WATCH_WAIT: { file: 'watch/watch-sources.test.ts', test: 'a wait that is too long' },
  MIN_POLL_INTERVAL: { file: 'watch/watch-sources.test.ts', test: 'looks that are too frequent' },
  MAX_POLL_INTERVAL: { file: 'watch/watch-sources.test.ts', test: 'looks that are too seldom' },
  MAX_YAML_LENGTH: {
    accepts: (length) => readSkillMarkdown(`---\na: ${'x'.repeat(length - 3)}\n---\n`).warnings.length === 0,
  },
  MAX_YAML_TOKENS: {
    file: 'sources/folder/front-matter.test.ts',
    test: 'has as many tokens as are read as YAML, and one more',
  },
  MAX_YAML_DEPTH: {
    file: 'sources/folder/front-matter.test.ts',
    test: 'is nested as deep as is read as YAML, and one more',
  },
  MAX_SKILL_ENTRIES: {
    file: 'sources/folder/skill-folder.test.ts',
    test: 'are looked for among ten thousand, and no more',
  },
  MAX_WALK_PROBLEMS: {
    file: 'sources/folder/skill-folder.test.ts',
    test: 'are told of a thousand in a walk, and counted from then on',
  },
  MAX_GIT_FILE_BYTES: {
    accepts: (length) => isHead({ HEAD: `${'0'.repeat(40)}\n`.padEnd(length), 'packed-refs': '' }),
  },
  MAX_GIT_LIST_BYTES: {
    accepts: (length) =>
      isHead({ HEAD: 'ref: refs/heads/x', 'packed-refs': `${'0'.repeat(40)} refs/heads/x\n`.padEnd(length) }),
  },
  MAX_GIT_OBJECT_FILES: { file: 'sources/folder/hostile-repositories.test.ts', test: 'has objects in so many files' },
  MAX_PACK_INDEX_BYTES: {
    accepts: async (length) => {
      const folder = await temporaryFolder({ 'objects/pack/pack-1.idx': '' });
      await truncate(join(folder, 'objects/pack/pack-1.idx'), length);
      return passes(() => checkGitObjects(join(folder, 'objects'), [folder]));
    },
  },
  GIT_HEAP_BYTES: { file: 'sources/folder/hostile-repositories.test.ts', test: 'runs within limits of the system' },
  GIT_ADDRESS_BYTES: { file: 'sources/folder/hostile-repositories.test.ts', test: 'runs within limits of the system' },
  MAX_COMMIT_TIMES_BYTES: {
    file: 'sources/folder/hostile-repositories.test.ts',
    test: 'is not listened to beyond a number of paths',
  },
  GIT_REPOSITORY_SECONDS: {
    file: 'sources/folder/git-origin.test.ts',
    test: 'keep their file times where git fails: no commit, no repository, no git, no time',
  },
  GIT_SOURCE_SECONDS: {
    file: 'sources/folder/hostile-repositories.test.ts',
    test: 'is asked no more for dates once the time of the source is spent, but for remotes',
  },
  MIN_MODEL_DIMENSIONS: {
    file: 'semantic/own-models.test.ts',
    test: 'has 64 values in its vectors at least, or is refused',
  },
  MAX_MODEL_DIMENSIONS: {
    file: 'semantic/own-models.test.ts',
    test: 'has 1,024 values in its vectors at most, or is refused',
  },
  MAX_MODEL_TOKENS: { accepts: (maxTokens) => isOwnSetting({ maxTokens }) },
  MAX_PREFIX_LENGTH: { accepts: (length) => isOwnSetting({ question: 'x'.repeat(length) }) },
  MAX_COMPATIBLE_MODELS: {
    accepts: async (count) => {
      const ids = texts(count, 'm').map((name) => `${name}@0123456789ab`);
      const folder = await temporaryFolder({ 'compatible.json': JSON.stringify(ids) });
      return passes(() => readCompatibleModels(folder));
    },
  },
  MAX_KEY_NAME: {
    accepts: (length) => passes(() => openAccess({ state: ':memory:' }).createKey({ name: '😀'.repeat(length) })),
  },
  MAX_PAGE_TEXT: { accepts: (length) => textPart('x'.repeat(length), 1)?.count === 1 },
  MAX_PAGE_LINES: { accepts: (count) => textPart('x\n'.repeat(count), 1)?.count === 1 },
  MAX_PAGE_VALUE: {
    file: 'http/pages/skill/skill-page.test.ts',
    test: 'has values as long as a page shows, and one longer',
  },
  MAX_MARKDOWN_WORK: { file: 'http/pages/text/markdown.test.ts', test: 'is read up to a bound of work' },
  MAX_MARKDOWN_DEPTH: { file: 'http/pages/text/markdown.test.ts', test: 'is read as deep as the bound, and no deeper' },
  MAX_MARKDOWN_HTML: {
    file: 'http/pages/text/markdown.test.ts',
    test: 'has an HTML as long as the bound, and no longer',
  },
  MAX_PAGE_PARAMETERS: {
    accepts: (amount) => readForm(`${'x=1&'.repeat(amount - 1)}q=kite`).form.q === 'kite',
  },
  MAX_PAGE_FILES: { file: 'http/pages/skill/skill-page.test.ts', test: 'of a skill name a hundred of its files' },
  MAX_COUNTED_ADDRESSES: {
    file: 'http/minute-limit.test.ts',
    test: 'as many addresses as the limit says are counted; one more makes the first forgotten',
  },
  MAX_TOOL_TEXT: { file: 'mcp/tools.test.ts', test: 'a long file is read in parts, and no character is cut in two' },
  MAX_RESOURCE_BYTES: {
    file: 'mcp/skills-extension.test.ts',
    test: 'a file of 1 MiB is given at once, and one byte more in parts that make the same bytes',
  },
  MIN_TOOL_TOKENS: { file: 'mcp/tools.test.ts', test: 'max_tokens outside of its range' },
  MAX_TOOL_TOKENS: { file: 'mcp/tools.test.ts', test: 'max_tokens outside of its range' },
  MAX_LOCK_FILE_BYTES: {
    accepts: async (length) => {
      const folder = await temporaryFolder({ 'skills-lock.json': '{"version":1,"skills":{}}'.padEnd(length) });
      return passes(() => LockFile.read(join(folder, 'skills-lock.json'), 'project'));
    },
  },
  MAX_LOCK_ENTRIES: {
    accepts: async (count) => {
      const skills = Object.fromEntries(texts(count, 's').map((name) => [name, {}]));
      const folder = await temporaryFolder({ 'skills-lock.json': JSON.stringify({ version: 1, skills }) });
      return passes(() => LockFile.read(join(folder, 'skills-lock.json'), 'project'));
    },
  },
  MAX_INSTALLED_AT_ONCE: { file: 'install/install-skills.test.ts', test: 'of more than a thousand skills at once' },
  MAX_PUBLISHED_SKILLS: {
    file: 'http/published.test.ts',
    test: 'refuses to start with more than a thousand, and says so',
  },
  MAX_LOGGED_UNPUBLISHED: {
    file: 'mcp/unpublished-log.test.ts',
    test: 'names a hundred skills, each once, and then says that there are more',
  },
};

const {
  SERVER_LIMITS: _,
  STDIO_LIMITS: __,
  MCP_HTTP_LIMITS: ___,
  LOCAL_LIMITS: ____,
  HOOK_LIMITS: _____,
  POSTGRES_LIMITS: ______,
  SHARED_CATALOGUE_LIMITS: _______,
  SNAPSHOT_RATE_LIMITS: ________,
  ...VALUES
} = limits;

describe.each(Object.entries(BOUNDS))('%s', (name, bound) => {
  if ('file' in bound) {
    test(`is held by a test: ${bound.test}`, () => {
      const file = new URL(bound.file, import.meta.url);
      expect(existsSync(file) && readFileSync(file, 'utf8')).toContain(bound.test);
    });
    return;
  }
  const limit = VALUES[name as keyof typeof VALUES];
  test(`accepts ${limit.toLocaleString('en')}`, async () => {
    expect(await bound.accepts(limit)).toBe(true);
  });
  test('does not accept one more', async () => {
    expect(await bound.accepts(limit + 1)).toBe(false);
  });
});

/** Which test holds each limit of `mcp`. */
const OF_STDIO: Readonly<Record<keyof typeof limits.STDIO_LIMITS, string>> = {
  messageBytes: 'a line of more than 16 MiB is refused, and the next one is answered',
  pending: 'a thousand requests at once are all answered, and the input waits meanwhile',
  pendingBytes: 'requests of many bytes wait for each other',
  drainTime: 'does not wait without end for an answer when its input has ended',
};

test.each(Object.entries(OF_STDIO))('%s of standard input is held by a test: %s', (_, name) => {
  expect(readFileSync(new URL('mcp/line-transport.test.ts', import.meta.url), 'utf8')).toContain(name);
});

/** Which test holds each limit of `/mcp`. */
const OF_MCP_HTTP: Readonly<Record<keyof typeof limits.MCP_HTTP_LIMITS, readonly [file: string, test: string]>> = {
  bodyBytes: ['http/mcp-bodies.test.ts', 'has at most 64 KiB'],
  skippedBytes: ['http/mcp-bodies.test.ts', 'that does not end is given up beyond what is thrown away'],
  bytesPerByte: ['http/mcp-bodies.test.ts', 'counts for eight times its size among what is held for all'],
  exchangeBytes: ['http/mcp-bodies.test.ts', 'counts for eight times its size among what is held for all'],
  batch: ['http/mcp-bodies.test.ts', 'has at most 16 messages'],
  batchBytes: ['http/mcp-bodies.test.ts', 'is answered with as many bytes as it may have'],
  streams: ['http/mcp-streams.test.ts', 'are as many as there may be in all'],
  streamsPerClient: ['http/mcp-streams.test.ts', 'are as many as each client may have, and one that ends makes room'],
  keepAlive: ['http/mcp-streams.test.ts', 'show that they live'],
  lookInterval: ['http/mcp-streams.test.ts', 'shows up without a restart, and clients of revision'],
};

test.each(Object.entries(OF_MCP_HTTP))('%s of /mcp is held by a test: %s', (_, [file, name]) => {
  expect(readFileSync(new URL(file, import.meta.url), 'utf8')).toContain(name);
});

/** Which test holds each limit of a server. */
const OF_SERVER: Readonly<Record<keyof typeof limits.SERVER_LIMITS, { readonly file: string; readonly test: string }>> =
  {
    headerBytes: { file: 'http/server-malformed.test.ts', test: 'is not one of 24 KB that asks 2,000 characters' },
    headersTimeout: {
      file: 'http/server-malformed.test.ts',
      test: 'is cut off where it is too slow, by and by or silent',
    },
    requestTimeout: {
      file: 'http/server-malformed.test.ts',
      test: 'is cut off where it is too slow, by and by or silent',
    },
    keepAliveTimeout: { file: 'http/server.test.ts', test: 'keeps a connection for the next request' },
    idleTimeout: {
      file: 'http/server-malformed.test.ts',
      test: 'is not worked for without end when it does not read its answers',
    },
    connections: {
      file: 'http/open-connections.test.ts',
      test: 'a fourth takes the place of the one that has been silent for the longest time',
    },
    heldBytes: {
      file: 'http/open-connections.test.ts',
      test: 'is at most as much as the limit: beyond, the connection with most of it is closed',
    },
    requestBytes: { file: 'http/open-connections.test.ts', test: 'counts requests that wait, too' },
    pipelined: {
      file: 'http/server-malformed.test.ts',
      test: 'is not worked for without end when it does not read its answers',
    },
    waiting: {
      file: 'http/client-limits.test.ts',
      test: 'are answered up to 116, and the next is refused, closes the connection, and is the last that is read',
    },
    requests: {
      file: 'http/client-limits.test.ts',
      test: 'is closed by the answer to its last request, 10,000 of them',
    },
    checkingInterval: {
      file: 'http/server-malformed.test.ts',
      test: 'is cut off where it is too slow, by and by or silent',
    },
  };

test.each(Object.entries(OF_SERVER))('a server has a limit %s, held by a test', (_, { file, test: name }) => {
  expect(readFileSync(new URL(file, import.meta.url), 'utf8')).toContain(name);
});

/** Which test holds each limit of how fast a snapshot must come. */
const OF_SNAPSHOT_RATE: Readonly<Record<keyof typeof limits.SNAPSHOT_RATE_LIMITS, string>> = {
  time: 'is given up when nothing came for 15 seconds',
  bytes: 'goes on while 32 KiB come within 15 seconds, and is given up where a byte less comes',
};

test.each(Object.entries(OF_SNAPSHOT_RATE))('%s of the rate of a snapshot is held by a test: %s', (_, name) => {
  expect(readFileSync(new URL('snapshot/least-rate.test.ts', import.meta.url), 'utf8')).toContain(name);
});

async function passes(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

/** Whether the commit of a repository with these files is found. */
async function isHead(files: Readonly<Record<string, string>>): Promise<boolean> {
  const folder = await temporaryFolder(files);
  return passes(() => readHead({ own: folder, common: folder, bounds: [folder], unproven: false }));
}

/** Reads bytes of a source that was so many before they were unpacked. */
async function readBytes(bytes: number, packed: number): Promise<void> {
  // Never written to, so the system gives no memory for it.
  const chunk = Buffer.allocUnsafeSlow(Math.min(bytes, 2 ** 30));
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
  }
  for await (const _ of boundedBytes(chunks(), () => packed, {}));
}

/** A load of rows that cannot be read. */
function ingested(count: number, fields: { readonly location?: string }): { ingest: Ingest; report: ReportBuilder } {
  const report = new ReportBuilder({});
  const ingest = new Ingest(new MemoryCatalogue(), report);
  for (let i = 0; i < count; i++) {
    ingest.take({ kind: 'unreadable', origin: { source: 's' }, reason: 'r', ...fields }, 's');
  }
  return { ingest, report };
}

/** Whether a row's place is taken. */
function isPlace(place: string): boolean {
  const checked = checkRow({ kind: 'row', origin: { source: 'test' }, value: { name: 'a', description: 'b', place } });
  return checked.kind === 'skill' && checked.draft.location === place;
}

/** Whether a row with these fields becomes a skill without a warning. */
function isKept(fields: Readonly<Record<string, unknown>>): boolean {
  const value = { name: 'a', description: 'b', ...fields };
  const checked = checkRow({ kind: 'row', origin: { source: 'test', line: 1 }, value });
  return checked.kind === 'skill' && checked.warnings.length === 0;
}

/** Whether a source is one row that can be read. */
function isWhole(splitter: JsonSplitter, source: Buffer): boolean {
  const pieces = [...splitter.push(source), ...splitter.end()];
  return pieces.length === 1 && 'bytes' in pieces[0]!;
}

/** A file of a row that says that it is complete. */
function complete(filename: string, bytes: string | Buffer): object {
  const content = typeof bytes === 'string' ? { text: bytes } : { base64: bytes.toString('base64') };
  return { filename, ...content, complete: true, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function texts(count: number, letter: string): string[] {
  return Array.from({ length: count }, (_, i) => `${letter}${i}`);
}

async function isOwnSetting(settings: object): Promise<boolean> {
  const folder = await temporaryFolder({ 'skill-discovery.json': JSON.stringify(settings) });
  return passes(() => readOwnSettings(folder));
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

/** Which test holds each limit of what is kept in PostgreSQL. */
const OF_POSTGRES: Readonly<Record<keyof typeof limits.POSTGRES_LIMITS, readonly [file: string, test: string]>> = {
  usualConnections: ['access/shared-access.test.ts', 'has 4 connections where nobody said otherwise, and 1 to 100'],
  connections: ['access/shared-access.test.ts', 'has 4 connections where nobody said otherwise, and 1 to 100'],
  connectTime: [
    'postgres/postgres-pool.test.ts',
    'finds a database to which connecting takes longer than a request waits',
  ],
  requestTime: [
    'postgres/postgres-pool.test.ts',
    'says that a statement waited too long for a connection, and that the database is there',
  ],
  answerTime: ['postgres/postgres-pool.test.ts', 'does not wait for a database that stands still'],
  statementTime: ['postgres/postgres-pool.test.ts', 'ends a statement that takes too long, and goes on'],
  openingTime: ['postgres/postgres-pool.test.ts', 'where nothing answers'],
  preparingTime: ['postgres/shared-tables.test.ts', 'are made once by servers that start at one moment'],
  idleTime: ['postgres/postgres-pool.test.ts', 'has no more connections than it may have'],
  lookInterval: ['postgres/postgres-pool.test.ts', 'finds a database that was restarted by itself, and tells both'],
  waiting: ['postgres/postgres-pool.test.ts', 'lets 2,000 statements wait for a connection, and refuses those beyond'],
  countedTogether: ['access/shared-access.test.ts', 'counts more clients at once than one statement counts'],
};

test.each(Object.entries(OF_POSTGRES))('%s of PostgreSQL is held by a test: %s', (_, [file, name]) => {
  expect(readFileSync(new URL(file, import.meta.url), 'utf8')).toContain(name);
});

const SESSION = 'postgres/transaction-session.test.ts';
const PUBLISH = 'shared-catalogue/publish-changes.test.ts';
const STORE = 'shared-catalogue/shared-store.test.ts';

/** Which test holds each limit of a catalogue in PostgreSQL. */
const OF_SHARED_CATALOGUES: Readonly<
  Record<keyof typeof limits.SHARED_CATALOGUE_LIMITS, readonly [file: string, test: string]>
> = {
  statementTime: [SESSION, 'when a statement is refused or takes too long'],
  publishingPause: [SESSION, 'when the work pauses for too long, so that what it has locked is free'],
  readingPause: [SESSION, 'when the work pauses for too long, so that what it has locked is free'],
  publishingWait: [PUBLISH, 'waits ten minutes at most, and says that another load publishes'],
  lockTime: [PUBLISH, 'until it is aborted'],
  publishedTogether: [PUBLISH, 'takes any number of skills at a time'],
  bytesTogether: [PUBLISH, 'holds the bytes of few skills at a time, where these are large'],
  removed: [STORE, 'a version before removed skills that were forgotten'],
  versions: [STORE, 'a version of more than 10,000 versions ago'],
  unusedDays: [PUBLISH, 'after seven days, once a day, and sends them again when a skill has them'],
  cleaningHours: [PUBLISH, 'after seven days, once a day, and sends them again when a skill has them'],
};

test.each(Object.entries(OF_SHARED_CATALOGUES))('%s of a shared catalogue is held by a test: %s', (_, [file, name]) => {
  expect(readFileSync(new URL(file, import.meta.url), 'utf8')).toContain(name);
});

function manifestOf(chunkBytes: number): string {
  const files = [{ name: 'skills.db', bytes: 1, chunks: ['a'.repeat(64)] }];
  return manifestText({ stamp: 'a', written: '2026-01-01T00:00:00.000Z', chunkBytes, files });
}
