/** A `Map` of lists, or an object with the same two methods. */
interface Lists<K, V> {
  get(key: K): V[] | undefined;
  set(key: K, list: V[]): unknown;
}

/** Adds a value to the list of a key; makes the list if there is none. */
export function append<K, V>(lists: Lists<K, V>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
