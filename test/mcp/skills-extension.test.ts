import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { describe, expect, test } from 'vitest';
import { publishedSkill } from '../../src/mcp/index.js';
import { connect, ERAS } from './connect.js';
import { openWholeSkills, sha256, skillMd, type WholeSkill } from './whole-skills.js';

/** Most bytes of one answer. */
const MAX_RESOURCE_BYTES = 2 ** 20;

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255, 254]);

const PDF: WholeSkill = {
  id: 'acme-tools-pdf',
  name: 'pdf-forms',
  description: 'Fills in PDF forms.',
  files: {
    'SKILL.md':
      '---\nname: pdf-forms\ndescription: >-\n  Fills in PDF\n  forms.\nlicense: MIT\nversion: 1.10\ndraft: false\nmetadata:\n  level: "3"\ntags: [a, b]\n---\n\nUse `scripts/fill.py`.\n',
    'scripts/fill.py': 'print("fill")\n',
    'references/deep/forms.md': '# Forms\r\nwith a carriage return\n',
    'references/übung & mehr.md': 'ä\n',
    'logo.png': PNG,
    'nested/charts/SKILL.md': skillMd('charts', 'Draws charts.'),
    'nested/charts/data.csv': 'a,b\n1,2\n',
  },
};

const OTHERS: readonly WholeSkill[] = [
  { id: 'b-upper', name: 'Upper Case' },
  { id: 'c-part', name: 'part', complete: false },
  { id: 'd ü/%', name: 'odd-id' },
];

describe.each(ERAS)('in revision %s', (era) => {
  test('the capability is declared with directories, beside resources', async () => {
    const { client } = await connect(await openWholeSkills([PDF]), {}, era);
    expect(client.getServerCapabilities()).toMatchObject({
      resources: { listChanged: true },
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    });
  });

  test('every published skill is listed, read and verified by the client of the SDK, file by file', async () => {
    const { client } = await connect(await openWholeSkills([PDF, ...OTHERS]), {}, era);
    const skills = new SkillsClient(client);
    const { skills: entries } = await skills.list();
    expect(entries.map(({ uri }) => uri)).toEqual([
      'skill://acme-tools-pdf/pdf-forms/SKILL.md',
      'skill://d%20%C3%BC%2F%25/odd-id/SKILL.md',
    ]);
    for (const entry of entries) {
      expect((await skills.get(entry.uri)).skill).toEqual(entry);
      for (const { uri, digest, size } of entry.resources as { uri: string; digest: string; size: number }[]) {
        const { bytes, verified } = await skills.read(entry, uri);
        expect([verified, bytes.length, `sha256:${sha256(bytes)}`]).toEqual([true, size, digest]);
      }
    }
  });
});

test('a file of 1 MiB is given at once, and one byte more in parts that make the same bytes', async () => {
  const text = `${'x'.repeat(MAX_RESOURCE_BYTES - 2)}😀${'y'.repeat(MAX_RESOURCE_BYTES)}`;
  const files = {
    'whole.bin': new Uint8Array(MAX_RESOURCE_BYTES).fill(255),
    'more.bin': Uint8Array.from({ length: MAX_RESOURCE_BYTES + 1 }, (_, i) => 128 + (i % 100)),
    'more.txt': text,
  };
  const { client } = await connect(await openWholeSkills([{ ...PDF, files }]));
  const root = 'skill://acme-tools-pdf/pdf-forms';
  const read = async (path: string) => {
    const content = (await client.readResource({ uri: `${root}/${path}` })).contents[0]!;
    return 'blob' in content ? Buffer.from(content.blob, 'base64') : Buffer.from(content.text);
  };
  expect(await read('whole.bin')).toHaveLength(MAX_RESOURCE_BYTES);
  for (const [path, bytes] of [
    ['more.bin', Buffer.from(files['more.bin'])],
    ['more.txt', Buffer.from(text)],
  ] as const) {
    await expect(read(path)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(
        `the file has ${bytes.length} bytes, more than one answer gives: read it in parts at ${root}/${path}?offset=0,`,
      ),
    });
    const parts: Buffer[] = [];
    for (let offset = 0; offset < bytes.length; offset += MAX_RESOURCE_BYTES)
      parts.push(await read(`${path}?offset=${offset}`));
    expect(parts.length).toBeGreaterThan(1);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    await expect(read(`${path}?offset=${bytes.length}`)).rejects.toMatchObject({ code: -32602 });
    expect(await read(`${path}?offset=${bytes.length - 1}`)).toHaveLength(1);
  }
  for (const wrong of ['?offset=-1', '?offset=1.5', '?offset=', '?part=1', '?offset=0&offset=1', '?offset=9e3'])
    await expect(read(`more.txt${wrong}`)).rejects.toMatchObject({ code: -32602 });
});

test('a list gives others a turn between its skills', async () => {
  const search = await openWholeSkills(Array.from({ length: 30 }, (_, i) => ({ id: `s${i}`, name: `s-${i}` })));
  const slow = new Proxy(search, {
    get: (target, name) => {
      if (name === 'read') for (const began = performance.now(); performance.now() - began < 6; );
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { client } = await connect(slow);
  let turns = 0;
  let isListing = true;
  const beat = (): void => {
    turns += 1;
    if (isListing) setImmediate(beat);
  };
  setImmediate(beat);
  const { skills } = await new SkillsClient(client).list();
  isListing = false;
  expect(skills).toHaveLength(30);
  expect(turns).toBeGreaterThanOrEqual(29);
});

test('a folder lists what lies directly in it', async () => {
  const { client } = await connect(await openWholeSkills([PDF]));
  const skills = new SkillsClient(client);
  const children = async (uri: string) =>
    (await skills.readDirectory(uri)).resources.map(({ name, uri: child, mimeType }) => [name, child, mimeType]);
  const root = 'skill://acme-tools-pdf/pdf-forms';
  expect(await children(root)).toEqual([
    ['SKILL.md', `${root}/SKILL.md`, 'text/markdown'],
    ['logo.png', `${root}/logo.png`, expect.any(String)],
    ['nested', `${root}/nested`, 'inode/directory'],
    ['references', `${root}/references`, 'inode/directory'],
    ['scripts', `${root}/scripts`, 'inode/directory'],
  ]);
  expect(await children(`${root}/references`)).toEqual([
    ['deep', `${root}/references/deep`, 'inode/directory'],
    ['übung & mehr.md', `${root}/references/%C3%BCbung%20&%20mehr.md`, 'text/markdown'],
  ]);
});

test('files of a nested skill belong to the outer one, and the nested one can be got by its own address', async () => {
  const { client } = await connect(await openWholeSkills([PDF]));
  const skills = new SkillsClient(client);
  const root = 'skill://acme-tools-pdf/pdf-forms';
  const outer = await skills.get(`${root}/SKILL.md`);
  const paths = (outer.skill.resources as { uri: string }[]).map(({ uri }) => uri.slice(root.length + 1));
  expect(paths).toContain('nested/charts/SKILL.md');
  const { skill } = await skills.get(`${root}/nested/charts/SKILL.md`);
  expect(skill.frontmatter).toEqual({ name: 'charts', description: 'Draws charts.' });
  expect((skill.resources as { uri: string }[]).map(({ uri }) => uri)).toEqual([
    `${root}/nested/charts/SKILL.md`,
    `${root}/nested/charts/data.csv`,
  ]);
  expect((await skills.read(skill, 'data.csv')).text).toBe('a,b\n1,2\n');
});

describe('invalid params are answered', () => {
  const ROOT = 'skill://acme-tools-pdf/pdf-forms';
  test.each([
    ['skills/get', 'skill://nobody/pdf-forms/SKILL.md'],
    ['skills/get', `${ROOT}/scripts/fill.py`],
    ['skills/get', ROOT],
    ['skills/get', 'skill://acme-tools-pdf/other-name/SKILL.md'],
    ['skills/get', 'skill://b-upper/Upper%20Case/SKILL.md'],
    ['skills/get', 'skill://c-part/part/SKILL.md'],
    ['skills/get', 'skill://acme%2Dtools-pdf/pdf-forms/SKILL.md'],
    ['skills/get', 'https://example.org/SKILL.md'],
    ['resources/read', `${ROOT}/none.md`],
    ['resources/read', `${ROOT}/scripts`],
    ['resources/read', `${ROOT}/scripts/../SKILL.md?x`],
    ['resources/read', 'skill://c-part/part/SKILL.md'],
    ['resources/read', 'no uri'],
    ['resources/directory/read', `${ROOT}/SKILL.md`],
    ['resources/directory/read', `${ROOT}/none`],
    ['resources/directory/read', `${ROOT}/`],
    ['resources/directory/read', 'skill://nobody/none'],
  ])('to %s of %s', async (method, uri) => {
    const { client } = await connect(await openWholeSkills([PDF, ...OTHERS]));
    await expect(request(client, method, { uri })).rejects.toMatchObject({ code: -32602 });
  });

  test.each(['skills/list', 'resources/list', 'resources/directory/read'])(
    'to %s with a made-up cursor',
    async (method) => {
      const { client } = await connect(await openWholeSkills([PDF, ...OTHERS]));
      for (const cursor of ['x', 'YQ', 'YQ.0123456789abcdef', '']) {
        await expect(request(client, method, { cursor, uri: ROOT })).rejects.toMatchObject({ code: -32602 });
      }
    },
  );
});

describe('pages', () => {
  const MANY = Array.from({ length: 250 }, (_, i) => {
    const id = `s-${String(i).padStart(4, '0')}`;
    return { id, name: i % 5 === 0 ? `Bad ${i}` : `skill-${i}` };
  });

  test('go through all skills, each once, in both lists', async () => {
    const { client } = await connect(await openWholeSkills(MANY));
    const good = MANY.filter(({ name }) => !name.startsWith('Bad')).map(
      ({ id, name }) => `skill://${id}/${name}/SKILL.md`,
    );
    for (const [method, key] of [
      ['skills/list', 'skills'],
      ['resources/list', 'resources'],
    ] as const) {
      const pages = await allPages(client, method, key);
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flat().map(({ uri }) => uri)).toEqual(good);
    }
  });

  test('go on where they were when the catalogue has changed in between', async () => {
    let search = await openWholeSkills(MANY);
    const { client } = await connect(async () => search);
    const first = await request<ListPage>(client, 'skills/list', {});
    const last = first.skills.at(-1)!.uri;
    search = await openWholeSkills([
      { id: 's-0000-new', name: 'new-before' },
      ...MANY.slice(60),
      { id: 'z', name: 'new-after' },
    ]);
    const second = await request<ListPage>(client, 'skills/list', { cursor: first.nextCursor });
    expect(second.skills[0]!.uri > last).toBe(true);
    expect(second.skills.length).toBe(100);
    const third = await request<ListPage>(client, 'skills/list', { cursor: second.nextCursor });
    expect(third.skills.at(-1)!.uri).toBe('skill://z/new-after/SKILL.md');
  });
});

const md = (front: string) => ({ files: { 'SKILL.md': `---\n${front}\n---\nbody\n` } });
const withFields = (fields: string) => ({ name: 'a', ...md(`name: a\ndescription: b\n${fields}`) });
test.each<[string, { name: string } & Partial<WholeSkill>, string]>([
  ['its name has capitals', { name: 'Upper' }, 'lower-case'],
  ['its name is too long', { name: 'a'.repeat(65) }, '64'],
  ['its SKILL.md has another name', { name: 'a', ...md('name: b\ndescription: b') }, 'another name'],
  ['it has excerpts only', { name: 'a', complete: false }, 'not all of its files'],
  ['it has no front matter', { name: 'a', files: { 'SKILL.md': '# a\n' } }, 'does not begin with front matter'],
  ['its front matter is no YAML', { name: 'a', ...md('name: a\ndescription: a: [') }, 'not YAML'],
  ['it has no description', { name: 'a', ...md('name: a') }, 'no description'],
  ['its description is too long', { name: 'a', description: 'd'.repeat(1025) }, '1024'],
  [
    'its compatibility is too long',
    { name: 'a', ...md(`name: a\ndescription: a\ncompatibility: ${'c'.repeat(501)}`) },
    '500',
  ],
  [
    'its SKILL.md has more than 1 MiB',
    {
      name: 'a',
      files: { 'SKILL.md': skillMd('a', 'does a things', 'x'.repeat(MAX_RESOURCE_BYTES)) },
    },
    'more than 1048576 bytes',
  ],
  [
    'it has more than 512 files',
    { name: 'a', files: Object.fromEntries(Array.from({ length: 512 }, (_, i) => [`f${i}`, 'x'])) },
    'not all of its files',
  ],
  [
    'its files have more than 16 MiB',
    { name: 'a', files: { a: 'x'.repeat(9 * 2 ** 20), b: 'y'.repeat(9 * 2 ** 20) } },
    'not all of its files',
  ],
  ['its front matter has a value that JSON lacks', withFields('x: .inf'), 'not YAML'],
  ['its front matter has two keys of one name', withFields('x: 1\nx: 2'), 'not YAML'],
  ['its front matter has an alias of itself', withFields('x: &x [*x]'), 'not YAML'],
  ['its front matter is too long', withFields(`x: ${'y'.repeat(40_000)}`), 'not YAML'],
  ['it has an integer that JSON rounds', withFields('x: [{a: 9007199254740993}]'), '2^53'],
  ['its description has blanks only', { name: 'a', ...md('name: a\ndescription: "  \\t "') }, 'not only blanks'],
])('a skill is found but not published, and the reason is told, if %s', async (_, skill, reason) => {
  const told: string[] = [];
  const search = await openWholeSkills([{ ...skill, id: 'x' }]);
  expect(await publishedSkill(search, 'x', (id, why) => told.push(`${id}: ${why}`))).toBeUndefined();
  expect(search.get('x')).toBeDefined();
  expect(told).toEqual([expect.stringMatching(/^x: /)]);
  expect(told[0]).toContain(reason);
});

test('a change of the catalogue is notified to those who listen', async () => {
  const { client, notify } = await connect(await openWholeSkills([PDF]));
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/resources/list_changed', () => resolve());
  });
  const subscription = await client.listen({ resourcesListChanged: true });
  notify();
  await changed;
  await subscription.close();
});

interface ListPage {
  readonly skills: { readonly uri: string }[];
  readonly nextCursor?: string;
}

type AnyClient = Awaited<ReturnType<typeof connect>>['client'];

/** Asks any method, and takes the result as it comes. */
async function request<Result = Record<string, unknown>>(
  client: AnyClient,
  method: string,
  params: Record<string, unknown>,
): Promise<Result> {
  const anything = {
    '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
  } as const;
  return (await client.request({ method, params } as never, anything as never)) as Result;
}

async function allPages(client: AnyClient, method: string, key: string): Promise<{ uri: string }[][]> {
  const pages: { uri: string }[][] = [];
  let cursor: string | undefined;
  do {
    const page = await request<Record<string, unknown>>(client, method, cursor === undefined ? {} : { cursor });
    pages.push(page[key] as { uri: string }[]);
    cursor = page['nextCursor'] as string | undefined;
  } while (cursor !== undefined);
  return pages;
}

describe('front matter', () => {
  const read = async (text: string) => {
    const search = await openWholeSkills([{ id: 'x', name: 'a-b', files: { 'SKILL.md': text } }]);
    return (await publishedSkill(search, 'x', (_, reason) => expect.fail(reason)))?.frontMatter;
  };

  test('is what the SDK reads, however it is written', async () => {
    for (const field of [
      ...['version: 1.10', 'version: "1.10"', 'count: 0x1F', 'flag: yes', 'flag: true', 'nothing:', 'nothing: ~'],
      ...['released: 2026-01-02', 'time: 12:30:45', 'text: >-\n  folded\n  text', 'text: |\n  kept\n   text\n'],
      ...["text: 'single ''quoted'''", 'text: "a\\tb\\u00e9"', 'list: [a, 1, true, null]', 'list:\n  - a\n  - b: c'],
      ...['list:\n- a\n- b', 'map: {a: 1, b: [c]}', 'metadata:\n  level: "3"', 'allowed-tools: Bash(git:*) Read'],
      ...['text: plain # comment', 'text: two\n  lines', 'octal: 0o17', 'big: 9007199254740991', 'exp: 1e3'],
    ]) {
      const text = `---\nname: a-b\ndescription: Does it.\n${field}\n---\nbody\n`;
      const { frontmatter } = await skillEntry('a-b', { 'SKILL.md': text });
      expect([field, await read(text)]).toEqual([field, frontmatter]);
    }
  });

  test.each([
    ['an anchor, which the SDK does not read', 'base: &x text\nother: *x', { base: 'text', other: 'text' }],
    ['a quoted text of two lines, which it does not read either', 'text: "two\n  lines"', { text: 'two lines' }],
    ['carriage returns', 'x: 1\r', { x: 1 }],
  ])('with %s is YAML', async (_, field, expected) => {
    const text = `---\nname: a-b\ndescription: Does it.\n${field}\n---\n`;
    expect(await read(text)).toEqual({ name: 'a-b', description: 'Does it.', ...expected });
  });

  test('that only a YAML parser reads is verified by a host that has one', async () => {
    const md = '---\nname: a\ndescription: "two\n  lines"\n---\n';
    const { client } = await connect(await openWholeSkills([{ id: 'x', name: 'a', files: { 'SKILL.md': md } }]));
    const skills = new SkillsClient(client, { parseFrontmatter: () => ({ name: 'a', description: 'two lines' }) });
    const { skills: entries } = await skills.list();
    expect((await skills.read(entries[0]!)).verified).toBe(true);
  });
});
