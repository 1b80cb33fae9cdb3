import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createHandler, type HandlerOptions, startServer } from '../../src/http/index.js';
import { type SkillSearch, SkillSearchError } from '../../src/index.js';
import { catalogueOf, PDF_FORMS, skillMarkdown, wholeFile } from '../agents/install/skill-catalogue.js';
import { codeOf } from '../error-code.js';
import { closing } from '../scratch-folder.js';
import { FIND, ORIGIN, opened, type Reply, replacing, searchOver, serve } from './ask.js';
import { request, Wire } from './wire.js';

const INDEX = '/.well-known/agent-skills/index.json';
const LEGACY = '/.well-known/skills/index.json';
const compatibility = 'skillsmp';

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly url: string;
  readonly digest: string;
  readonly files: readonly string[];
}

function entriesOf({ body }: Reply): readonly Entry[] {
  return (body as { skills: readonly Entry[] }).skills;
}

/** A row of a skill with complete files. */
function whole(name: string, more: object = {}): object {
  const files = [wholeFile('SKILL.md', skillMarkdown(name))];
  return { name, description: `Does ${name} for tests.`, files, ...more };
}

/** The bytes at a path; the helper for texts would decode them. */
async function bytesAt(search: SkillSearch, path: string, options: HandlerOptions = {}): Promise<Uint8Array> {
  const handle = createHandler(search, { access: false, publish: ['all'], ...options });
  return new Uint8Array(await (await handle(new Request(ORIGIN + path))).arrayBuffer());
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

test('the index of version 0.2.0 has each skill with the digest of what is at its address: an archive, or a SKILL.md alone', async () => {
  const { search } = await catalogueOf({ ...PDF_FORMS, 'cron/SKILL.md': skillMarkdown('cron') });
  const { ask } = await serve(search, { publish: ['all'] });
  const index = await ask(INDEX);
  expect(index.body).toEqual({
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [
      {
        name: 'cron',
        type: 'skill-md',
        description: 'Does cron for tests.',
        url: 'cron/SKILL.md',
        digest: digestOf(Buffer.from(skillMarkdown('cron'))),
      },
      {
        name: 'pdf-forms',
        type: 'archive',
        description: 'Does pdf-forms for tests.',
        url: 'pdf-forms.tar.gz',
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
    ],
  });
  for (const { url, digest } of entriesOf(index)) {
    const path = new URL(url, ORIGIN + INDEX).pathname;
    const bytes = await bytesAt(search, path);
    expect(digestOf(bytes)).toBe(digest);
    expect(digestOf(await bytesAt(search, path))).toBe(digest);
  }
  const unpacked = unpack(await bytesAt(search, '/.well-known/agent-skills/pdf-forms.tar.gz'));
  expect(Object.fromEntries(unpacked.map(({ path, bytes }) => [`pdf-forms/${path}`, bytes]))).toEqual(
    Object.fromEntries(Object.entries(PDF_FORMS).map(([path, content]) => [path, Buffer.from(content as string)])),
  );
  if (process.platform === 'win32') return;
  const modes = unpacked.filter(({ mode }) => mode !== '0000644').map(({ path, mode }) => [path, mode]);
  expect(modes).toEqual([['scripts/fill.sh', '0000755']]);
});

describe('the index of version 0.1.0', () => {
  test('has the files of each skill, SKILL.md first, and they are at its address', async () => {
    const { search } = await catalogueOf({ ...PDF_FORMS, 'pdf-forms/A first.md': 'a' });
    const { ask } = await serve(search, { publish: ['all'] });
    const paths = ['SKILL.md', 'A first.md', 'assets/blank.bin', 'references/fields.md', 'scripts/fill.sh'];
    expect((await ask(LEGACY)).body).toEqual({
      skills: [{ name: 'pdf-forms', description: 'Does pdf-forms for tests.', files: paths }],
    });
    for (const path of paths.slice(2)) {
      const bytes = await bytesAt(search, `/.well-known/skills/pdf-forms/${path}`);
      expect(Buffer.from(bytes)).toEqual(Buffer.from(PDF_FORMS[`pdf-forms/${path}`] as string));
    }
    expect((await ask('/.well-known/skills/pdf-forms/A%20first.md')).text).toBe('a');
  });

  test.each(['a..b.md', 'a#b.md', 'a%20b.md', 'ä.md', 'a[1].md'])(
    'has no skill with the file %s, which its clients cannot ask for',
    async (file) => {
      const { search } = await catalogueOf({
        ...PDF_FORMS,
        [`pdf-forms/${file}`]: 'a',
        'b/SKILL.md': skillMarkdown('b'),
      });
      const { ask } = await serve(search, { publish: ['all'] });
      expect(entriesOf(await ask(LEGACY)).map(({ name }) => name)).toEqual(['b']);
      expect(entriesOf(await ask(INDEX)).map(({ name }) => name)).toEqual(['b', 'pdf-forms']);
    },
  );
});

describe('what is published', () => {
  test('can be kept, and asked for again by its ETag, with GET and HEAD, from any web page', async () => {
    const { search } = await catalogueOf(PDF_FORMS);
    const { ask } = await serve(search, { publish: ['all'] });
    for (const path of [
      INDEX,
      LEGACY,
      '/.well-known/agent-skills/pdf-forms.tar.gz',
      '/.well-known/skills/pdf-forms/SKILL.md',
    ]) {
      const { status, headers } = await ask(path);
      const tag = headers.get('ETag')!;
      expect([status, headers.get('Cache-Control'), tag], path).toEqual([
        200,
        'no-cache',
        expect.stringMatching(/^".+"$/),
      ]);
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; sandbox");
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      const again = await ask(path, { headers: { 'If-None-Match': tag } });
      expect([again.status, again.text]).toEqual([304, '']);
      const head = await ask(path, { method: 'HEAD' });
      expect([head.status, head.headers.get('ETag'), head.text]).toEqual([200, tag, '']);
      expect((await ask(path, { method: 'OPTIONS' })).status).toBe(204);
      expect((await ask(path, { method: 'POST' })).code).toBe('METHOD_NOT_ALLOWED');
    }
  });

  test('are read one after the other, and others have their turn in between', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const files = names.flatMap((name) => [
      [`${name}/SKILL.md`, skillMarkdown(name)] as const,
      ...Array.from({ length: 8 }, (_, i) => [`${name}/${i}.txt`, `${name}${i}`] as const),
    ]);
    const { search } = await catalogueOf(Object.fromEntries(files));
    let turn = 0;
    let isCounting = true;
    const reads: { readonly id: string; readonly turn: number }[] = [];
    const read = (id: string, path: string): Uint8Array | undefined => {
      reads.push({ id, turn });
      return search.read(id, path);
    };
    const watched = replacing(search, { read });
    const handle = createHandler(watched, { access: false, publish: ['all'], compatibility });
    await handle(new Request(ORIGIN + INDEX));
    reads.length = 0;
    const count = (): void => {
      turn += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const answers = await Promise.all(
      names.map(async (name) => handle(new Request(`${ORIGIN}/.well-known/agent-skills/${name}.tar.gz`))),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const order = reads.map(({ id }) => id).filter((id, i, all) => id !== all[i - 1]);
    expect(order).toHaveLength(names.length);
    const begun = order.map((id) => reads.find((one) => one.id === id)!.turn);
    expect(new Set(begun).size).toBe(names.length);
    isCounting = false;
  });

  test('is not read for a client that has gone, however much it asked for at once', async () => {
    const { search } = await catalogueOf(PDF_FORMS);
    let reads = 0;
    let onRead = (): void => {};
    const read = (id: string, path: string): Uint8Array | undefined => {
      reads += 1;
      onRead();
      return search.read(id, path);
    };
    const server = closing(
      await startServer(replacing(search, { read }), { port: 0, publish: ['all'], access: false }),
    );
    const wire = await Wire.open(server.port);
    reads = 0;
    onRead = () => wire.cut();
    wire.send(request('/.well-known/agent-skills/pdf-forms.tar.gz').repeat(16));
    await expect.poll(() => reads, { interval: 1 }).toBeGreaterThan(0);
    await expect.poll(() => server.waiting).toBe(0);
    // A few are read before the system tells.
    expect(reads).toBeLessThan((16 / 2) * Object.keys(PDF_FORMS).length);
  });

  test('is chosen by rules, of which one is enough', async () => {
    const search = await searchOver([
      whole('in-folder'),
      whole('tested', { codehostUrl: 'https://github.com/otter/a', author: 'otter', categories: ['testing'] }),
      whole('free', { codehostUrl: 'https://github.com/wren/b', author: 'wren', license: 'MIT' }),
      whole('starred', { codehostUrl: 'https://github.com/finch/b', stars: 50 }),
    ]);
    const namesFor = async (publish: HandlerOptions['publish']) => {
      const { ask } = await serve(search, { publish });
      return entriesOf(await ask(INDEX)).map(({ name }) => name);
    };
    expect(await namesFor(['all'])).toEqual(['free', 'in-folder', 'starred', 'tested']);
    expect(await namesFor(['folders'])).toEqual(['in-folder']);
    expect(await namesFor([{ category: 'testing' }])).toEqual(['tested']);
    expect(await namesFor([{ author: 'WREN' }, 'folders'])).toEqual(['free', 'in-folder']);
    expect(await namesFor([{ license: 'mit' }, { minStars: 10 }])).toEqual(['free', 'starred']);
    expect(await namesFor([{ category: 'none' }])).toEqual([]);
    expect((await (await serve(search, { publish: [] })).ask(INDEX)).code).toBe('ENDPOINT_NOT_FOUND');
    for (const publish of ['all', ['none'], [{ colour: 'red' }], [{ category: 'Not A Slug' }], [1]]) {
      expect(await codeOf(() => createHandler(search, { publish } as never))).toBe('INVALID_OPTION');
    }
  });

  test('is complete and keeps the rules for skills; of others is told why not', async () => {
    const told = new Map<string, string>();
    const search = await searchOver([
      whole('good'),
      { id: 'part', name: 'part', description: 'd', files: [{ filename: 'SKILL.md', text: skillMarkdown('part') }] },
      whole('Bad Name', { id: 'name' }),
      {
        ...whole('long'),
        id: 'long',
        files: [wholeFile('SKILL.md', skillMarkdown('long')), wholeFile('x'.repeat(101), 'x')],
      },
      { ...whole('git'), id: 'git', files: [wholeFile('SKILL.md', skillMarkdown('git')), wholeFile('NUL', 'x')] },
    ]);
    const { ask } = await serve(search, {
      publish: ['all'],
      onUnpublished: (id, reason, where) => told.set(id, `${where}: ${reason}`),
    });
    expect(entriesOf(await ask(INDEX)).map(({ name }) => name)).toEqual(['good']);
    expect(Object.fromEntries(told)).toEqual({
      name: expect.stringMatching(/^everywhere: .*"Bad Name"/),
      long: expect.stringMatching(/^for-installers: .*too long/),
      git: expect.stringMatching(/^for-installers: .*device/),
    });
  });

  test('is the rest where a skill is damaged', async () => {
    const search = await searchOver([whole('good', { id: 'good' }), whole('bad', { id: 'bad' })]);
    const damaged = Object.create(search, {
      stats: { value: () => search.stats() },
      completeIds: { value: () => search.ids() },
      isComplete: { value: (id: string) => search.isComplete(id) },
      contents: { value: (id: string) => search.contents(id) },
      get: { value: (id: string) => search.get(id) },
      read: {
        value: (id: string, path: string) => {
          if (id === 'bad') throw new SkillSearchError('DATABASE_DAMAGED', 'damaged', { skill: id });
          return search.read(id, path);
        },
      },
    });
    const told: string[] = [];
    const { ask } = await serve(damaged, { publish: ['all'], onUnpublished: (id) => told.push(id) });
    expect(entriesOf(await ask(INDEX)).map(({ name }) => name)).toEqual(['good']);
    expect(told).toEqual(['bad']);
  });

  test('of several skills of one name is the one with the most stars, then the oldest, then the first by id', async () => {
    const told: string[] = [];
    const search = await searchOver([
      whole('loom', { id: 'd', stars: 5, updatedAt: 20 }),
      whole('loom', { id: 'c', stars: 5, updatedAt: 10, description: 'c' }),
      whole('loom', { id: 'b', stars: 5, updatedAt: 10, description: 'b' }),
      whole('loom', { id: 'a', stars: 4, updatedAt: 1 }),
    ]);
    const onUnpublished = (id: string, _: string, where: string): unknown => told.push(`${id} ${where}`);
    const { ask } = await serve(search, { publish: ['all'], onUnpublished });
    expect(entriesOf(await ask(INDEX))).toHaveLength(1);
    expect(told.toSorted()).toEqual(['a in-index', 'c in-index', 'd in-index']);
    // Each is at its own address all the same.
    for (const id of ['a', 'b', 'c', 'd']) expect(entriesOf(await ask(`/skills/${id}${INDEX}`))).toHaveLength(1);
  });

  test('refuses to start with more than a thousand, and says so', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, i) => whole(`skill-${i}`));
    const start = async (count: number) => {
      const search = await opened({ skills: rows(count) });
      const server = await startServer(search, { port: 0, access: false, publish: ['all'] });
      await server.close();
    };
    expect(await codeOf(() => start(1000))).toBe('no error');
    await expect(start(1001)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('more than 1,000'),
    });
    // A handler has no start. Its clients are told that it cannot answer, and the log says why.
    const { ask, events } = await serve(await opened({ skills: rows(1001) }), { publish: ['all'], compatibility });
    expect((await ask(INDEX)).code).toBe('SERVICE_UNAVAILABLE');
    expect(events.some((event) => event.kind === 'failure')).toBe(true);
    expect((await ask(`${FIND}?q=tests`)).status).toBe(200);
  });

  test.each([
    '/.well-known/',
    '/.well-known/agent-skills/none.tar.gz',
    '/.well-known/agent-skills/pdf-forms/SKILL.md',
    '/.well-known/skills/pdf-forms/none.md',
    '/.well-known/skills/pdf-forms/..%2f..%2fcron/SKILL.md',
    '/.well-known/skills/toString/SKILL.md',
    `/skills/none${INDEX}`,
    `/skills/%${INDEX}`,
  ])('is not at %s', async (path) => {
    const { search } = await catalogueOf({ ...PDF_FORMS, 'cron/SKILL.md': skillMarkdown('cron') });
    const { ask } = await serve(search, { publish: ['all'] });
    expect((await ask(path)).code).toBe('ENDPOINT_NOT_FOUND');
  });
});

describe('what npx skills takes', () => {
  test('has the address here as its source where it has no other, and only what can be added', async () => {
    const rows = [
      whole('loom-a', { id: 'a', codehostUrl: 'https://github.com/otter/tools/tree/HEAD/loom' }),
      whole('loom-b', { id: 'b' }),
      { id: 'c', name: 'loom-c', description: 'Not complete, for tests.' },
    ];
    const sources = async (publish: HandlerOptions['publish']) => {
      const { ask } = await serve(await searchOver(rows), { compatibility, publish });
      const { skills } = (await ask(`${FIND}?q=tests`)).body as { skills: { id: string; source: string }[] };
      return Object.fromEntries(skills.map(({ id, source }) => [id, source]));
    };
    const elsewhere = { 'otter/tools/loom-a': 'otter/tools' };
    expect(await sources(['all'])).toEqual({ ...elsewhere, 'skills/b': `${ORIGIN}/skills/b/` });
    expect(await sources([])).toEqual(elsewhere);
  });

  test('can be downloaded by owner, repository and name, if it is text', async () => {
    const codehostUrl = 'https://github.com/Otter/Tools/tree/HEAD/loom';
    const binary = {
      filename: 'a.bin',
      base64: '/w==',
      sha256: createHash('sha256').update('\xff', 'latin1').digest('hex'),
    };
    const text = skillMarkdown('loom');
    const search = await searchOver([
      whole('loom', {
        id: 'loom',
        codehostUrl,
        files: [wholeFile('SKILL.md', text), wholeFile('references/a.md', 'ä')],
      }),
      whole('other', {
        id: 'other',
        codehostUrl,
        files: [wholeFile('SKILL.md', skillMarkdown('other')), { ...binary, complete: true }],
      }),
      whole('folder'),
    ]);
    const { ask } = await serve(search, { compatibility, publish: ['all'] });
    const files = [
      { path: 'SKILL.md', contents: text },
      { path: 'references/a.md', contents: 'ä' },
    ];
    const hash = createHash('sha256');
    for (const { path, contents } of files.toSorted((a, b) => a.path.localeCompare(b.path))) {
      hash.update(path).update(contents);
    }
    const found = await ask('/api/download/otter/tools/loom');
    expect([found.status, found.body]).toEqual([200, { files, hash: hash.digest('hex') }]);
    expect(found.headers.get('Cache-Control')).toBe('no-store');
    for (const path of ['otter/tools/other', 'otter/tools/none', 'wren/tools/loom', 'unknown/unknown/folder']) {
      expect((await ask(`/api/download/${path}`)).code, path).toBe('ENDPOINT_NOT_FOUND');
    }
    expect((await ask('/api/download/otter/tools')).status).toBe(404);
  });
});

/** A file of an archive. */
interface Unpacked {
  readonly path: string;
  readonly mode: string;
  readonly bytes: Buffer;
}

/** Reads a .tar.gz as installers do, with the fields of its headers checked. */
function unpack(archive: Uint8Array): Unpacked[] {
  const tar = gunzipSync(archive);
  const files: Unpacked[] = [];
  for (let at = 0; tar.subarray(at, at + 512).some((byte) => byte !== 0); ) {
    const header = tar.subarray(at, at + 512);
    const field = (start: number, length: number): string => {
      const bytes = header.subarray(start, start + length);
      const end = bytes.indexOf(0);
      return bytes.subarray(0, end === -1 ? length : end).toString('utf8');
    };
    const blank = Buffer.from(header).fill(' ', 148, 156);
    if (blank.reduce((sum, byte) => sum + byte, 0) !== Number.parseInt(field(148, 8), 8)) throw new Error('checksum');
    if (field(156, 1) !== '0' || field(257, 6) !== 'ustar') throw new Error('no file of ustar');
    const size = Number.parseInt(field(124, 12), 8);
    const [prefix, name] = [field(345, 155), field(0, 100)];
    const bytes = tar.subarray(at + 512, at + 512 + size);
    files.push({ path: prefix === '' ? name : `${prefix}/${name}`, mode: field(100, 8), bytes });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
