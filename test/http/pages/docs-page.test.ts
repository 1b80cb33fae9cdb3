import { describe, expect, test } from 'vitest';
import { row } from '../../rows.js';
import { serve } from '../ask.js';
import { expectHarmless, linksOf, textOf } from './page-text.js';

type Json = Readonly<Record<string, unknown>>;

const MODES = [
  ['plain', {}],
  ['with --compat skillsmp', { compatibility: 'skillsmp' }],
  ['with --mcp', { mcp: true }],
] as const;

describe.each(MODES)('/docs %s', (_, options) => {
  test('shows all that the description says: operations, parameters, statuses, codes, schemas', async () => {
    const { ask } = await serve([row('kite')], { pages: true, publicUrl: 'https://host.test/skills', ...options });
    const reply = await ask('/docs');
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    expectHarmless(reply);
    const text = textOf(reply);
    const { paths, components } = (await ask('/openapi.json')).body as {
      paths: Record<string, Record<string, { summary: string; parameters?: Json[]; responses: Record<string, Json> }>>;
      components: { schemas: Record<string, Json> };
    };
    let codes = 0;
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { summary, parameters = [], responses }] of Object.entries(methods)) {
        for (const shown of [path, method.toUpperCase(), summary]) expect(text).toContain(shown);
        for (const { name, example } of parameters) {
          for (const shown of [name, example]) expect(text).toContain(String(shown));
        }
        for (const [status, { description, content }] of Object.entries(responses)) {
          expect(text).toContain(status);
          expect(text).toContain(String(description));
          for (const { examples } of Object.values((content ?? {}) as Record<string, { examples?: Json }>)) {
            for (const code of Object.keys(examples ?? {})) {
              expect(text).toContain(code);
              codes += 1;
            }
          }
        }
      }
    }
    expect(codes).toBeGreaterThan(15);
    for (const name of Object.keys(components.schemas)) expect(reply.text).toContain(`id="schema-${name}"`);
  });

  test('has links that lead somewhere: inside the page, or below the path of the public URL', async () => {
    const { ask } = await serve([row('kite')], { pages: true, publicUrl: 'https://host.test/skills', ...options });
    const reply = await ask('/docs');
    const ids = [...reply.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const link of linksOf(reply)) {
      if (link.startsWith('#')) expect(ids).toContain(link.slice(1));
      else expect(link).toMatch(/^\/skills\//);
    }
  });
});

test('an example is a command that is answered as it says', async () => {
  const { ask, key } = await serve([row('git-worktree')], { pages: true, compatibility: 'skillsmp' });
  const commands = [...textOf(await ask('/docs')).matchAll(/^curl (?:-H 'Authorization: Bearer KEY' )?'([^']+)'$/gm)];
  expect(commands.length).toBe(4);
  for (const [, url] of commands) {
    const { pathname, search } = new URL(url as string);
    expect((await ask(pathname + search, { key })).status, url).toBe(200);
  }
});

test('/docs has an ETag, and answers 304 and HEAD', async () => {
  const { ask } = await serve([row('kite')], { pages: true });
  for (const path of ['/docs', '/openapi.json']) {
    const first = await ask(path);
    const tag = first.headers.get('ETag') as string;
    const again = await ask(path, { headers: { 'If-None-Match': tag } });
    expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', tag]);
    const head = await ask(path, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('ETag')]).toEqual([200, '', tag]);
  }
});
