/**
 * Keeps the native objects of SQLite from being collected as garbage, on Node 24 only.
 *
 * An addon that is built with the headers of Node 24.19 or later, and derives its objects from `node::ObjectWrap` as
 * better-sqlite3 12 does, aborts the process when the collector runs between two turns of the event loop and finds one
 * of them (https://github.com/nodejs/node/issues/65446). What is still referred to is never found. The objects are
 * small, and closing a connection frees what they hold in SQLite. better-sqlite3 13 is not concerned, but needs Node 22;
 * when Node 20 is given up, this file can go.
 */
const AFFECTED = process.versions.node.startsWith('24.');

const kept: object[] = [];

type NativeMethod = (...args: unknown[]) => object;

/** Keeps a connection and every statement and iterator that is made with it. */
export function keepHandles(connection: object): void {
  if (!AFFECTED) return;
  const [symbol] = Object.getOwnPropertySymbols(connection);
  const native = symbol === undefined ? undefined : Reflect.get(connection, symbol);
  if (native === undefined) return;
  kept.push(native);
  keepResults(native, 'prepare', (statement) => keepResults(statement, 'iterate', () => undefined));
}

/** Keeps whatever a method returns from here on. */
function keepResults(owner: object, name: string, also: (result: object) => void): void {
  const method = Reflect.get(owner, name) as NativeMethod;
  const keeping: NativeMethod = function (this: unknown, ...args) {
    const result = Reflect.apply(method, this, args);
    kept.push(result);
    also(result);
    return result;
  };
  Object.defineProperty(owner, name, { value: keeping, configurable: true });
}
