// The conformance suite imports `globSync` for a command that these tests do not run, and Node 20 has none. Gives it
// one.
import { register } from 'node:module';

const FS = `data:text/javascript,${encodeURIComponent('export * from "node:fs"; export const globSync = () => [];')}`;

const HOOK = `export async function resolve(name, context, next) {
  const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/') === true;
  return name === 'fs' && isSuite ? { url: ${JSON.stringify(FS)}, shortCircuit: true } : next(name, context);
}`;

register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
