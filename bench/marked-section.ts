/**
 * Replaces what stands between two comments of a page: `<!-- NAME: … -->` and `<!-- end of NAME -->`. The comments
 * stay.
 *
 * @throws where the page has not each of them once, in this order
 */
export function replaceSection(page: string, name: string, content: string): string {
  const begins = [...page.matchAll(new RegExp(`^<!-- ${name}: .*-->$`, 'gm'))];
  const ends = [...page.matchAll(new RegExp(`^<!-- end of ${name} -->$`, 'gm'))];
  const [begin, end] = [begins[0], ends[0]];
  if (begin === undefined || end === undefined || begins.length > 1 || ends.length > 1 || begin.index > end.index) {
    throw new Error(`the page must have a section between "<!-- ${name}: … -->" and "<!-- end of ${name} -->", once`);
  }
  return `${page.slice(0, begin.index + begin[0].length)}\n\n${content.trim()}\n\n${page.slice(end.index)}`;
}
