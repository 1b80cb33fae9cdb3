/** Document numbers by label slug. */
export type LabelIndex = ReadonlyMap<string, ArrayLike<number>>;

/** A category filter takes the slug as it is. */
export function categoryLabels(labels: LabelIndex, slug: string): readonly string[] {
  return labels.has(slug) ? [slug] : [];
}

const SOC_CODE = /-(\d{6})$/;
const MAJOR_GROUP = /^(\d\d)-0000$/;

/**
 * The occupation slugs a filter takes: the slug itself, the slug without its SOC code (`software-developers` for
 * `software-developers-151252`), and all of a SOC major group (`15-0000`).
 */
export function occupationLabels(labels: LabelIndex, slug: string): readonly string[] {
  const group = MAJOR_GROUP.exec(slug)?.[1];
  return [...labels.keys()].filter((label) => {
    if (label === slug) return true;
    const code = SOC_CODE.exec(label)?.[1];
    if (code === undefined) return false;
    return group === undefined ? label.slice(0, -code.length - 1) === slug : code.startsWith(group);
  });
}

/**
 * One byte a document: 1 where it has any label of every list.
 *
 * @returns undefined where there are no lists, so nothing is filtered
 */
export function labelMask(
  size: number,
  lists: readonly { readonly labels: LabelIndex; readonly slugs: readonly string[] }[],
): Uint8Array | undefined {
  let mask: Uint8Array | undefined;
  for (const { labels, slugs } of lists) {
    const own = new Uint8Array(size);
    for (const slug of slugs) {
      const documents = labels.get(slug) as ArrayLike<number>;
      for (let i = 0; i < documents.length; i++) own[documents[i]!] = mask?.[documents[i]!] ?? 1;
    }
    mask = own;
  }
  return mask;
}
