import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

/** Says after each step whether the client of PostgreSQL was imported. */
const IMPORTS = `
import { createRequire } from 'node:module';
const { cache } = createRequire(import.meta.url);
const say = () => console.log(Object.keys(cache).some((path) => /[\\\\/]node_modules[\\\\/]pg[\\\\/]/.test(path)));
await import('./src/index.ts');
await import('./src/http/index.ts');
await import('./src/cli/serve-command.ts');
const { connectAccess, openAccess } = await import('./src/access/index.ts');
const access = openAccess({ state: ':memory:' });
access.admit(access.identify(undefined, '192.0.2.1'));
access.close();
say();
await connectAccess({ state: 'postgres://127.0.0.1:1/d' }).catch((error) => console.log(error.code));
say();
`;

/** As where the package is not installed. */
const WITHOUT = `
import { register } from 'node:module';
const hook = \`export const resolve = async (name, context, next) => {
  if (name !== 'pg') return next(name, context);
  throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
};\`;
register('data:text/javascript,' + encodeURIComponent(hook));
const { connectAccess } = await import('./src/access/index.ts');
await connectAccess({ state: 'postgres://127.0.0.1:1/d' }).catch(({ code, message }) => console.log(code, message));
`;

function linesOf(program: string): string[] {
  const words = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: PROJECT, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return stdout.trimEnd().split('\n');
}

test('the client of PostgreSQL is imported with the address of a database, and not before', () => {
  expect(linesOf(IMPORTS)).toEqual(['false', 'DATABASE_NOT_READABLE', 'true']);
});

test('where it is not installed, an address is refused with what to install', () => {
  expect(linesOf(WITHOUT)).toEqual([expect.stringMatching(/^POSTGRES_CLIENT_MISSING .*npm install pg$/)]);
});
