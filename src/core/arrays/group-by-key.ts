/** The part of a `Map` of lists that {@link appendTo} uses. */
interface ListsByKey<Key, Value> {
  get(key: Key): Value[] | undefined;
  set(key: Key, list: Value[]): unknown;
}

/** Adds a value to the list of a key. Creates the list for the first value. */
export function appendTo<Key, Value>(lists: ListsByKey<Key, Value>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
