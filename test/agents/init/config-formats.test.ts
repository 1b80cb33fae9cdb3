import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConfigFormat, JsonValue, Place } from '../../../src/agents/init/config-format.js';
import { CONFIG_FORMATS } from '../../../src/agents/init/config-formats.js';
import { addEntry, removeEntry, replaceEntry } from '../../../src/agents/init/edit-config.js';
import { applyEdits, invertEdits } from '../../../src/agents/init/text-edit.js';

const { json, toml } = CONFIG_FORMATS;
const SERVER: Place = { keys: ['mcpServers', 'skills'], kind: 'member' };
const HOOK: Place = { keys: ['hooks', 'UserPromptSubmit'], kind: 'list' };
const CODEX: Place = { keys: ['mcp_servers', 'skills'], kind: 'member' };
const VALUE = { command: '/bin/node', args: ['mcp', '--watch'] };

describe('an entry in JSON', () => {
  test.each([
    ['an empty file', '', '{\n  "mcpServers": {\n    "skills": {V}\n  }\n}\n'],
    ['a comment alone', '// mine', '// mine\n{\n  "mcpServers": {\n    "skills": {V}\n  }\n}\n'],
    ['a line of comment', '// mine\n', '// mine\n{\n  "mcpServers": {\n    "skills": {V}\n  }\n}\n'],
    ['an empty object', '{}', '{\n  "mcpServers": {\n    "skills": {V}\n  }\n}'],
    ['an object with an empty one', '{\n\t"mcpServers": {}\n}\n', '{\n\t"mcpServers": {\n\t\t"skills": {V}\n\t}\n}\n'],
    ['other settings', '{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "mcpServers": {\n        "skills": {V}\n    }\n}\n'],
    [
      'other servers',
      '{\n  "mcpServers": {\n    "a": { "command": "b" }\n  },\n  "z": [1,2,   3]\n}\n',
      '{\n  "mcpServers": {\n    "a": { "command": "b" },\n    "skills": {V}\n  },\n  "z": [1,2,   3]\n}\n',
    ],
    [
      'a comment behind the last server',
      '{\n  "mcpServers": {\n    "a": {} // mine\n    // the end\n  }\n}\n',
      '{\n  "mcpServers": {\n    "a": {}, // mine\n    "skills": {V}\n    // the end\n  }\n}\n',
    ],
    [
      'a comment in the place of servers',
      '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
      '{\n  "mcpServers": {\n    // none yet\n    "skills": {V}\n  }\n}\n',
    ],
    [
      'trailing commas',
      '{\n  "mcpServers": {\n    "a": {}, /* one */ // two\n  },\n}\n',
      '{\n  "mcpServers": {\n    "a": {}, /* one */ // two\n    "skills": {V},\n  },\n}\n',
    ],
    [
      'CRLF and a byte order mark',
      '\ufeff{\r\n  "a": 1\r\n}',
      '\ufeff{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "skills": {V}\r\n  }\r\n}',
    ],
    ['one line', '{"a":[1,2]}', '{"a":[1,2],"mcpServers":{"skills":{V}}}'],
    ['one line with blanks', '{ "a": 1 }\n', '{ "a": 1, "mcpServers": {"skills": {V}} }\n'],
    ['servers in one line', '{\n  "mcpServers": { "a": {} }\n}', '{\n  "mcpServers": { "a": {}, "skills": {V} }\n}'],
  ])('is added to %s, and everything else stays as it is', (_, before, after) => {
    const edited = addEntry(json, before, SERVER, VALUE);
    expect(edited.text.replace(/\{[^{}]*"\/bin\/node"[^{}]*\}/, '{V}')).toBe(after);
    expect(json.entries(edited.text, SERVER)).toEqual([VALUE]);
    expect(goBack(edited)).toBe(before);
  });

  test('of a list stands behind the others', () => {
    const before = '{\n  "hooks": {\n    "UserPromptSubmit": [\n      { "hooks": [] } // hi\n    ]\n  }\n}\n';
    expect(addEntry(json, before, HOOK, 'x').text).toBe(before.replace('} // hi', '}, // hi\n      "x"'));
  });

  test.each([
    ['an array', '[]', 'expected an object at its top, found an array'],
    ['servers that are none', '{"mcpServers": null}', 'expected an object at mcpServers, found a value of type null'],
    ['servers twice', '{"mcpServers": {}, "mcpServers": {}}', 'it has mcpServers twice'],
    ['a text that ends too soon', '{\n  "a": 1', 'it is not JSON: expected a closing brace } in line 2, column 9'],
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 'it is not JSON: expected a comma in line 3, column 3'],
    ['another language', 'mcpServers:\n  a: 1\n', 'it is not JSON: expected a value in line 1, column 1'],
  ])('is not added to %s', (_, text, message) => {
    expect(() => addEntry(json, text, SERVER, VALUE)).toThrow(message);
  });

  test('is not added over another', () => {
    expect(() => addEntry(json, '{"mcpServers": {"skills": 1}}', SERVER, VALUE)).toThrow(
      'something at mcpServers.skills',
    );
  });

  test('is replaced without a change around it', () => {
    const before = '{ // a\n  "mcpServers": { "skills": {"command":"old"}, "b": 1 },\n}\n';
    const edited = replaceEntry(json, before, SERVER, { command: 'old' }, { command: 'new' });
    expect(edited.text).toBe('{ // a\n  "mcpServers": { "b": 1, "skills": {"command": "new"} },\n}\n');
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
      'followed by a comment',
      '{\n  "mcpServers": {\n    "a": 1,\n    "skills": 0 // mine\n  }\n}\n',
      '{\n  "mcpServers": {\n    "a": 1 // mine\n  }\n}\n',
    ],
    [
      'in the middle of a line',
      '{ "mcpServers": { "a": 1, "skills": 0, "b": 2 } }',
      '{ "mcpServers": { "a": 1, "b": 2 } }',
    ],
    [
      'behind a comment to the end of the line',
      '{"mcpServers": {"a": 1, // x\n"skills": 0}}',
      '{"mcpServers": {"a": 1 // x\n}}',
    ],
    [
      'before a comma on another line',
      '{"mcpServers": {"skills": 0 // x\n, "a": 1}}',
      '{"mcpServers": { // x\n "a": 1}}',
    ],
    ['alone with a comment', '{"mcpServers": {\n  // c\n  "skills": 0\n}}', '{"mcpServers": {\n  // c\n}}'],
  ])('is removed where it is %s', (_, before, after) => {
    expect(removeEntry(json, before, SERVER, 0, 2).text).toBe(after);
  });

  test('takes along the objects that were made for it, if nothing else is in them', () => {
    const before = '{\n  "a": 1\n}\n';
    const { text, found } = addEntry(json, before, SERVER, VALUE);
    expect(removeEntry(json, text, SERVER, VALUE, found).text).toBe(before);
    const more = addEntry(json, text, { keys: ['mcpServers', 'other'], kind: 'member' }, 1).text;
    expect(json.parse(removeEntry(json, more, SERVER, VALUE, found).text)).toEqual({ a: 1, mcpServers: { other: 1 } });
    expect(removeEntry(json, text, SERVER, VALUE, 1).text).toBe('{\n  "a": 1,\n  "mcpServers": {}\n}\n');
  });
});

describe('an entry in TOML', () => {
  const TABLE = '[mcp_servers.skills]\ncommand = "/bin/node"\nargs = ["mcp", "--watch"]\n';

  test.each([
    ['an empty file', '', TABLE],
    ['other settings', 'model = "x"\n', `model = "x"\n\n${TABLE}`],
    ['a file without a line break at its end', 'model = "x"', `model = "x"\n\n${TABLE}`],
    ['a file that ends with an empty line', 'model = "x"\n\n', `model = "x"\n\n${TABLE}`],
    ['other servers', '[mcp_servers.a]\ncommand = "b" # c\n', `[mcp_servers.a]\ncommand = "b" # c\n\n${TABLE}`],
    ['servers with dots', 'mcp_servers.a.command = "b"\n', `mcp_servers.a.command = "b"\n\n${TABLE}`],
    ['CRLF', '[a]\r\nb = 1\r\n', `[a]\r\nb = 1\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}`],
  ])('is added to %s, and everything else stays as it is', (_, before, after) => {
    const edited = addEntry(toml, before, CODEX, VALUE);
    expect(edited.text).toBe(after);
    expect(goBack(edited)).toBe(before);
  });

  test.each([
    ['a = 1\nmcp_servers = {}\n', 'a table in braces in line 2'],
    ['mcp_servers = 1\n', 'a value of type number in line 1'],
    ['x = """\nmcp_servers = 2\n"""\n"mcp_servers" = [\n]\n', 'an array in line 4'],
    ['[a]\nmcp_servers = 1\n[[mcp_servers]]\n', 'an array in line 3'],
  ])('is refused in %j, with what came and where', (text, found) => {
    expect(() => addEntry(toml, text, CODEX, VALUE)).toThrow(`expected a table [mcp_servers] or none, found ${found}`);
  });

  test('has paths of Windows as they are', () => {
    const value = { command: 'C:\\Program Files\\node.exe', args: ["C:\\it's\\x"] };
    const { text } = addEntry(toml, '', CODEX, value);
    expect(text).toContain("command = 'C:\\Program Files\\node.exe'");
    expect(toml.entries(text, CODEX)).toEqual([value]);
  });

  test.each([
    ['what is no TOML', 'a = \n', /^it is not TOML: .* in line 1, column \d+$/],
    [
      'servers in one line',
      'mcp_servers = { a = { command = "b" } }\n',
      /^expected a table \[mcp_servers\] or none, found a table in braces in line 1$/,
    ],
  ])('is not added to %s', (_, text, message) => {
    expect(() => addEntry(toml, text, CODEX, VALUE)).toThrow(message);
  });

  test('is removed with its lines, and comments in it stay', () => {
    const before = `a = 1\n\n${TABLE.replace('args', '# why\nargs')}\n# next\n[b]\nc = [\n  [1],\n]\n`;
    expect(removeEntry(toml, before, CODEX, VALUE, 0).text).toBe('a = 1\n# why\n\n# next\n[b]\nc = [\n  [1],\n]\n');
  });

  test('is removed also where somebody laid it out anew', () => {
    const before = `[ mcp_servers . "skills" ] # ours\ncommand = '/bin/node'\nargs = [\n  "mcp",\n  "--watch",\n]\n[b]\n`;
    expect(removeEntry(toml, before, CODEX, VALUE, 0).text).toBe('[b]\n');
  });

  test('is removed with a text in several lines that looks like a table', () => {
    const before = `${TABLE.replace('"mcp"', '"""\n[x]"""')}[b]\n`;
    const value = { ...VALUE, args: ['[x]', '--watch'] };
    expect(toml.entries(before, CODEX)).toEqual([value]);
    expect(removeEntry(toml, before, CODEX, value, 0).text).toBe('[b]\n');
  });

  test('is not removed from a text that only looks like it', () => {
    const before = `a = """\n${TABLE}"""\n[mcp_servers]\nskills = { command = "/bin/node", args = ["mcp", "--watch"] }\n`;
    expect(() => removeEntry(toml, before, CODEX, VALUE, 0)).toThrow('is not written as a table');
  });

  test('is replaced without a change around it', () => {
    const before = `a = 1\n\n${TABLE}\n[b]\nc = 2\n`;
    const { text } = replaceEntry(toml, before, CODEX, VALUE, { command: 'new' });
    expect(text).toBe('a = 1\n\n[b]\nc = 2\n\n[mcp_servers.skills]\ncommand = "new"\n');
  });
});

test('any text of JSON, however it is laid out, is as before when an entry was added and removed', () => {
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
  fc.assert(
    fc.property(object, blanks, fc.boolean(), place, (whole, between, comma, at) => {
      const text = laidOut(whole, between, comma);
      const edited = added(json, text, at);
      if (edited === undefined) return;
      expect(goBack(edited)).toBe(text);
      const removed = removeEntry(json, edited.text, at, VALUE, edited.found);
      expect(json.parse(removed.text)).toEqual(json.parse(text));
      expect(commentsOf(removed.text)).toEqual(commentsOf(text));
    }),
    { numRuns: 500 },
  );
});

test('any text of TOML is as before when an entry was added and removed', () => {
  const piece = fc.constantFrom(
    ...[
      'a = 1 # [x]\n',
      '# [mcp_servers.skills]\n',
      '\n',
      '[b]\n',
      '[[c]]\n',
      '  [mcp_servers.other]\n',
      'd = [\n  [1],\n]\n',
    ],
    ...[
      'e = """\n[mcp_servers.skills]\n"""\n',
      'f = { g = 2 }\n',
      '[mcp_servers]\n',
      "h.i = 'j'\r\n",
      'k = 1979-05-27T07:32:00Z',
    ],
  );
  fc.assert(
    fc.property(fc.uniqueArray(piece), fc.boolean(), (pieces, isBehind) => {
      const text = pieces.join('');
      let edited: ReturnType<typeof addEntry>;
      try {
        edited = addEntry(toml, text, CODEX, VALUE);
      } catch (error) {
        // Pieces may not fit together.
        expect((error as Error).message).toMatch(/^it is not TOML/);
        return;
      }
      expect(goBack(edited)).toBe(text);
      const behind = isBehind ? '\n# behind\n[z]\ny = 1\n' : '';
      const removed = removeEntry(toml, edited.text + behind, CODEX, VALUE, edited.found).text;
      // Where the text had no line break at its end, it has one now.
      expect(removed.replace(/\s+/g, ' ').trim()).toBe((text + behind).replace(/\s+/g, ' ').trim());
    }),
    { numRuns: 500 },
  );
});

test('JSON as programs write it is as before to the byte, also if an entry is found by its value', () => {
  const server = fc.constantFrom<JsonValue>({}, { command: 'x', args: ['y'] });
  const servers = fc.dictionary(fc.constantFrom('a', 'b'), server);
  const hooks = fc.constant<JsonValue>({ Stop: [1] });
  const config = fc.record({ z: fc.integer(), mcpServers: servers, hooks }, { requiredKeys: [] });
  const step = fc.constantFrom<string | number>(2, 4, '\t', 0);
  fc.assert(
    fc.property(config, step, fc.boolean(), fc.constantFrom(SERVER, HOOK), (whole, indentation, crlf, place) => {
      const lines = JSON.stringify(whole, undefined, indentation);
      const text = crlf ? lines.replaceAll('\n', '\r\n') : lines;
      const edited = addEntry(json, text, place, VALUE);
      expect(removeEntry(json, edited.text, place, VALUE, edited.found).text).toBe(text);
    }),
    { numRuns: 300 },
  );
});

/** The text before an addition, made from the text after it. */
function goBack({ text, steps }: ReturnType<typeof addEntry>): string {
  return steps.toReversed().reduce((edited, edits) => applyEdits(edited, invertEdits(edits)), text);
}

/** Undefined where it is refused: something else stands there. */
function added(format: ConfigFormat, text: string, place: Place): ReturnType<typeof addEntry> | undefined {
  try {
    return addEntry(format, text, place, VALUE);
  } catch (error) {
    expect((error as Error).message).toMatch(/^(expected an |there is something at )/);
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
