import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONFIG_FORMATS, type ConfigFormat, type JsonValue, type Place } from '../../../src/agents/index.js';

const { json, toml } = CONFIG_FORMATS;
const SERVER: Place = { keys: ['mcpServers', 'skills'], kind: 'member' };
const HOOK: Place = { keys: ['hooks', 'UserPromptSubmit'], kind: 'list' };
const CODEX: Place = { keys: ['mcp_servers', 'skills'], kind: 'member' };
const VALUE = { command: '/bin/node', args: ['mcp', '--watch'] };

describe('an entry in JSON', () => {
  test.each([
    ['an empty file', '', '{\n  "mcpServers": {\n    "skills": {V}\n  }\n}\n'],
    ['an empty object', '{}', '{\n  "mcpServers": {\n    "skills": {V}\n  }\n}'],
    ['an object with an empty one', '{\n\t"mcpServers": {}\n}\n', '{\n\t"mcpServers": {\n\t\t"skills": {V}\n\t}\n}\n'],
    ['other settings', '{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "mcpServers": {\n        "skills": {V}\n    }\n}\n'],
    [
      'other servers',
      '{\n  "mcpServers": {\n    "a": {}\n  },\n  "z": [1,2,   3]\n}\n',
      '{\n  "mcpServers": {\n    "a": {},\n    "skills": {V}\n  },\n  "z": [1,2,   3]\n}\n',
    ],
    [
      'CRLF and a byte order mark',
      '\ufeff{\r\n  "a": 1\r\n}',
      '\ufeff{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "skills": {V}\r\n  }\r\n}',
    ],
    ['one line', '{"a":[1,2]}', '{"a":[1,2],"mcpServers": {"skills":{V}}}'],
  ])('is added to %s, and everything else stays as it is', (_, before, after) => {
    const edited = json.add(before, SERVER, VALUE);
    expect(edited.replace(/\{[^{}]*"\/bin\/node"[^{}]*\}/, '{V}')).toBe(after);
    expect(json.parse(edited)).toHaveProperty([...SERVER.keys], VALUE);
  });

  test.each([
    ['an array', '[]', 'expected an object at its top, found an array'],
    ['servers twice', '{"mcpServers": {}, "mcpServers": {}}', 'cannot be changed there without changing more'],
    ['a text that ends too soon', '{\n  "a": 1', 'it is not JSON: close brace expected in line 2, column 9'],
    ['another of its name', '{"mcpServers": {"skills": 1}}', 'mcpServers.skills cannot be changed there'],
  ])('is not added to %s', (_, text, message) => {
    expect(() => json.add(text, SERVER, VALUE)).toThrow(message);
  });

  test.each([
    [
      'alone in its lines',
      '{\n  "mcpServers": {\n    "a": 1, // one\n    "skills": 0,\n    "b": 2\n  }\n}\n',
      '{\n  "mcpServers": {\n    "a": 1, // one\n    "b": 2\n  }\n}\n',
    ],
    [
      'the last',
      '{\n  "mcpServers": {\n    "a": 1, // one\n    "skills": 0\n  }\n}\n',
      '{\n  "mcpServers": {\n    "a": 1 // one\n  }\n}\n',
    ],
    [
      'in the middle of a line',
      '{ "mcpServers": { "a": 1, "skills": 0, "b": 2 } }',
      '{ "mcpServers": { "a": 1, "b": 2 } }',
    ],
    ['alone with a comment', '{"mcpServers": {\n  // c\n  "skills": 0\n}}', '{"mcpServers": {\n  // c\n}}'],
  ])('is removed where it is %s', (_, before, after) => {
    expect(json.remove(before, SERVER, 0, '{"mcpServers": {}}')).toBe(after);
  });

  test('takes along the objects that were made for it, if nothing else is in them', () => {
    const before = '{\n  "a": 1\n}\n';
    const text = json.add(before, SERVER, VALUE);
    expect(json.remove(text, SERVER, VALUE, before)).toBe(before);
    const more = json.add(text, { keys: ['mcpServers', 'other'], kind: 'member' }, 1);
    expect(json.parse(json.remove(more, SERVER, VALUE, before))).toEqual({ a: 1, mcpServers: { other: 1 } });
    expect(json.parse(json.remove(text, SERVER, VALUE, '{"mcpServers": {}}'))).toEqual({ a: 1, mcpServers: {} });
  });
});

describe('an entry in TOML', () => {
  const [BEGIN, END] = ['# begin of what skill-discovery init wrote', '# end of what skill-discovery init wrote'];
  const TABLE = `${BEGIN}\n[mcp_servers.skills]\ncommand = "/bin/node"\nargs = ["mcp", "--watch"]\n${END}\n`;

  test.each([
    ['an empty file', '', TABLE],
    ['other settings', 'model = "x"\n', `model = "x"\n\n${TABLE}`],
    ['servers with dots', 'mcp_servers.a.command = "b"\n', `mcp_servers.a.command = "b"\n\n${TABLE}`],
    ['CRLF', '[a]\r\nb = 1\r\n', `[a]\r\nb = 1\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}`],
  ])('is added to %s behind everything else, between marks', (_, before, after) => {
    expect(toml.add(before, CODEX, VALUE)).toBe(after);
  });

  test.each([
    ['a = 1\nmcp_servers = {}\n', 'cannot be changed there without changing more'],
    ['[[mcp_servers]]\n', 'expected an object at mcp_servers, found an array'],
    ['a = \n', 'it is not TOML: '],
    ['[mcp_servers.skills]\na = 1\n', 'mcp_servers.skills cannot be changed there'],
  ])('is not added to %j', (text, message) => {
    expect(() => toml.add(text, CODEX, VALUE)).toThrow(message);
  });

  test('is removed with its marks, and only there', () => {
    const before = `a = 1\n\n${TABLE}\n# next\n[b]\nc = [\n  [1],\n]\n`;
    expect(toml.remove(before, CODEX, VALUE, '')).toBe('a = 1\n\n# next\n[b]\nc = [\n  [1],\n]\n');
    const unmarked = TABLE.replace(`${END}\n`, '');
    expect(() => toml.remove(unmarked, CODEX, VALUE, '')).toThrow('remove it by hand');
    const more = TABLE.replace(END, `[mine]\nx = 1\n${END}`);
    expect(() => toml.remove(more, CODEX, VALUE, '')).toThrow('cannot be changed there without changing more');
    const inText = `a = """\n${TABLE}"""\n[mcp_servers]\nskills = { command = "/bin/node", args = ["mcp", "--watch"] }\n`;
    expect(() => toml.remove(inText, CODEX, VALUE, '')).toThrow('cannot be changed there without changing more');
  });
});

test('any text of JSON, however it is laid out, says the same when an entry was added and removed', () => {
  const key = fc.constantFrom('a', 'mcpServers', 'hooks', 'skills', 'UserPromptSubmit', 'é"\\');
  const { value } = fc.letrec<{ value: JsonValue; leaf: JsonValue; array: JsonValue; object: JsonValue }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, tie('leaf'), tie('object'), tie('array')),
    leaf: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom('//', '/* x', ',', '}')),
    array: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  }));
  const object = fc.dictionary(key, value, { maxKeys: 4 });
  const blank = fc.constantFrom('', ' ', '\n', '\r\n', '\t', ' // c, }\n', '/* " */', '\n  ');
  const blanks = fc.array(blank, { maxLength: 40 });
  const place = fc.constantFrom(SERVER, HOOK);
  let refused = 0;
  fc.assert(
    fc.property(object, blanks, fc.boolean(), place, (whole, between, comma, at) => {
      const text = laidOut(whole, between, comma);
      const edited = added(json, text, at);
      if (edited === undefined) {
        refused += 1;
        return;
      }
      const removed = json.remove(edited, at, VALUE, text);
      expect(json.parse(removed)).toEqual(json.parse(text));
      expect(commentsOf(removed)).toEqual(commentsOf(text));
    }),
    { numRuns: 150 },
  );
  expect(refused).toBeLessThan(200);
});

test('any text of TOML is as before when an entry was added and removed', () => {
  const piece = fc.constantFrom(
    ...['a = 1 # [x]\n', '# [mcp_servers.skills]\n', '\n', '[b]\n', '[[c]]\n', '  [mcp_servers.other]\n'],
    ...['d = [\n  [1],\n]\n', 'e = """\n[mcp_servers.skills]\n"""\n', 'f = { g = 2 }\n', '[mcp_servers]\n'],
    ...["h.i = 'j'\r\n", 'k = 1979-05-27T07:32:00Z'],
  );
  fc.assert(
    fc.property(fc.uniqueArray(piece), fc.boolean(), (pieces, isBehind) => {
      const text = pieces.join('');
      const edited = added(toml, text, CODEX);
      if (edited === undefined) return;
      const behind = isBehind ? '\n# behind\n[z]\ny = 1\n' : '';
      const removed = toml.remove(edited + behind, CODEX, VALUE, text);
      // Where the text had no line break at its end, it has one now.
      expect(removed.replace(/\s+/g, ' ').trim()).toBe((text + behind).replace(/\s+/g, ' ').trim());
    }),
    { numRuns: 150 },
  );
});

/** Undefined where it is refused: something else stands there, or what is there is none. */
function added(format: ConfigFormat, text: string, place: Place): string | undefined {
  try {
    return format.add(text, place, VALUE);
  } catch (error) {
    expect((error as Error).message).toMatch(/(^expected an |cannot be changed there|^it is not TOML)/);
    return undefined;
  }
}

/** A value as text, with blanks and comments taken in turn between its marks. */
function laidOut(value: JsonValue, blanks: readonly string[], trailingComma: boolean): string {
  let taken = 0;
  const blank = (): string => (blanks.length === 0 ? '' : blanks[taken++ % blanks.length]!);
  const write = (one: JsonValue): string => {
    if (typeof one !== 'object' || one === null) return JSON.stringify(one);
    const isList = Array.isArray(one);
    const items = Object.entries(one).map(([key, inner]) => {
      const name = isList ? '' : `${JSON.stringify(key)}${blank()}:`;
      return `${blank()}${name}${blank()}${write(inner as JsonValue)}${blank()}`;
    });
    const inside = `${items.join(',')}${trailingComma && items.length > 0 ? ',' : ''}${blank()}`;
    return isList ? `[${inside}]` : `{${inside}}`;
  };
  return blank() + write(value) + blank();
}

/** Comments, without what stands in texts. */
function commentsOf(text: string): readonly string[] {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"|(\/\/[^\r\n]*|\/\*.*?\*\/)/gs)].flatMap(([, comment]) => comment ?? []);
}
