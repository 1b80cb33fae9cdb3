import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { HOOK_FORMATS, HOOK_LIMITS, printed, readInput } from '../../../src/agents/hook/host-format.js';

const EVENT = {
  session_id: 'abc',
  transcript_path: '/home/a/.claude/projects/x.jsonl',
  cwd: '/home/a/x',
  permission_mode: 'default',
  hook_event_name: 'UserPromptSubmit',
  prompt: 'fill in “forms” 📄',
};

describe('what a host writes', () => {
  test('gives the prompt of its JSON, however it is cut in pieces', async () => {
    for (const size of [1, 3, 7, 1000]) {
      expect(await readInput(inPieces(JSON.stringify(EVENT), size), 'claude-code')).toEqual({
        text: EVENT.prompt,
        cwd: EVENT.cwd,
      });
    }
  });

  test('may begin with a byte order mark', async () => {
    const { text } = await readInput(inPieces(`\ufeff${JSON.stringify(EVENT)}\n`, 1000), 'claude-code');
    expect(text).toBe(EVENT.prompt);
  });

  test('is read to the end of the object, if the host never closes the input', async () => {
    const open = new PassThrough();
    open.write('{"a": {"b": 1}');
    open.write(', "prompt": "x {} }"}\n');
    expect(await readInput(open, 'json')).toEqual({ text: 'x {} }' });
  });

  test('is the prompt itself in the plain format, to the end of the input', async () => {
    expect(await readInput(inPieces('{"prompt": 1}\n', 4), 'plain')).toEqual({ text: '{"prompt": 1}\n' });
  });

  test('has a working folder only if that is an absolute path', async () => {
    for (const cwd of ['', '.', 'a/b', 5, null, '/a\u0000b', {}]) {
      expect(await readInput(inPieces(JSON.stringify({ prompt: 'x', cwd }), 100), 'json')).toEqual({ text: 'x' });
    }
  });

  test('is refused without a prompt, with a code that quotes nothing', async () => {
    const codes: Record<string, string> = {
      '': 'INPUT_NOT_JSON',
      'not json': 'INPUT_NOT_JSON',
      '{"prompt": "cut': 'INPUT_NOT_JSON',
      '{}': 'NO_PROMPT',
      '[]': 'NO_PROMPT',
      null: 'NO_PROMPT',
      '{"prompt": 5}': 'NO_PROMPT',
    };
    for (const [text, code] of Object.entries(codes)) {
      const error = await readInput(inPieces(text, 100), 'claude-code').catch((reason: Error) => reason);
      expect([(error as { code?: string }).code, (error as Error).message]).toEqual([code, code]);
    }
  });

  test('is refused beyond the longest input, before its end', async () => {
    const endless = new PassThrough();
    const refused = expect(readInput(endless, 'plain')).rejects.toMatchObject({ code: 'INPUT_TOO_LONG' });
    for (let sent = 0; sent <= HOOK_LIMITS.inputBytes; sent += 65_536) endless.write(Buffer.alloc(65_536, 0x61));
    await refused;
    const whole = 'a'.repeat(HOOK_LIMITS.inputBytes);
    expect(await readInput(inPieces(whole, 65_536), 'plain')).toEqual({ text: whole });
  });
});

describe('what a host reads', () => {
  test('is the JSON of its event', () => {
    const event = (name: string): string =>
      `{"hookSpecificOutput":{"hookEventName":"${name}","additionalContext":"two\\nlines"}}\n`;
    expect(HOOK_FORMATS.map((format) => printed('two\nlines', format))).toEqual([
      event('UserPromptSubmit'),
      event('UserPromptSubmit'),
      event('BeforeAgent'),
      '{"context":"two\\nlines"}\n',
      'two\nlines\n',
    ]);
  });
});

function inPieces(text: string, size: number): PassThrough {
  const stream = new PassThrough();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size));
  stream.end();
  return stream;
}
