import type { PageAnswer, PageRequest } from './frame/page-answer.js';
import { PAGE_PATHS } from './frame/page-paths.js';

/** What programs that read the whole web should leave alone: answers to questions, and what programs ask. */
export function showRobots({ base }: PageRequest): PageAnswer {
  const paths = ['/api/', '/mcp', PAGE_PATHS.pageSearch, `${PAGE_PATHS.home}?`];
  const lines = ['User-agent: *', ...paths.map((path) => `Disallow: ${base}${path}`), ''];
  return { headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: lines.join('\n') };
}
