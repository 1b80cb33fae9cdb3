import { assert, constantFrom, dictionary, json, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setJsonMember } from '../../../src/agents/install/set-json-member.js';

describe('setting a member of an object in a JSON text', () => {
  test('keeps every other byte, whoever wrote it', () => {
    const text = '{"version" : 1.0,\n\t"skills":  {\n\t\t"a" :{"x": [1,\t2, "}\\""]},\n\t\t"c": {} } , "more":null}\n';
    expect(setJsonMember(text, 'skills', 'b', { y: 1 })).toBe(
      text.replace('"c"', '"b": {\n\t\t\t"y": 1\n\t\t},\n\t\t"c"'),
    );
    expect(setJsonMember(text, 'skills', 'a', 7)).toBe(text.replace('{"x": [1,\t2, "}\\""]}', '7'));
    expect(setJsonMember(text, 'skills', 'd', 7)).toBe(text.replace('{} }', '{},\n\t\t"d": 7 }'));
  });

  test('writes into an empty object, and into a text of one line', () => {
    expect(setJsonMember('{\n  "skills": {}\n}\n', 'skills', 'a', { x: 1 })).toBe(
      '{\n  "skills": {\n    "a": {\n      "x": 1\n    }\n  }\n}\n',
    );
    expect(setJsonMember('{"skills":{}}', 'skills', 'a', { x: 1 })).toBe('{"skills":{"a":{"x":1}}}');
    expect(setJsonMember('{"skills":{"b":1}}', 'skills', 'a', 2)).toBe('{"skills":{"a":2,"b":1}}');
  });

  test('replaces the last of several members of one name, which is the one that readers take', () => {
    expect(setJsonMember('{"skills":{"a":1,"a":2}}', 'skills', 'a', 3)).toBe('{"skills":{"a":1,"a":3}}');
  });

  test('gives what setting it in the parsed object gives, in any indentation', () => {
    assert(
      property(
        dictionary(string(), json(), { maxKeys: 5 }),
        string({ unit: 'binary' }),
        json(),
        constantFrom(undefined, 2, '\t'),
        (members, name, value, unit) => {
          const skills = Object.fromEntries(Object.entries(members).map(([key, text]) => [key, JSON.parse(text)]));
          const before = JSON.stringify({ version: 1, skills, last: [{}] }, null, unit);
          const after: unknown = JSON.parse(setJsonMember(before, 'skills', name, JSON.parse(value)));
          const expected = new Map(Object.entries(skills)).set(name, JSON.parse(value));
          expect(after).toEqual({ version: 1, skills: Object.fromEntries(expected), last: [{}] });
        },
      ),
    );
  });
});
