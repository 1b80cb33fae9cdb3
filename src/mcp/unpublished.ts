// Apart from what asks the SDK: programs whose types reach this need not have it installed.

/** Skills that are found but not published, and named in the log. The log is for people. */
const MAX_LOGGED_UNPUBLISHED = 100;

const MESSAGES: Readonly<Record<UnpublishedWhere, string>> = {
  everywhere: 'found but not published',
  'for-installers': 'not published for installers',
  'in-index': 'published at its own address only',
};

/** Says of each skill once why it is not published, or not everywhere, up to a number of skills. */
export function unpublishedLog(
  log: (message: string, facts: Readonly<Record<string, unknown>>) => void,
): UnpublishedListener {
  const told = new Set<string>();
  return (skill, reason, where) => {
    const line = `${where} ${skill}`;
    if (told.has(line) || told.size > MAX_LOGGED_UNPUBLISHED) return;
    told.add(line);
    if (told.size > MAX_LOGGED_UNPUBLISHED) log('further skills are not published everywhere; they are not named', {});
    else log(MESSAGES[where], { skill, reason });
  };
}

/**
 * Where a skill is not published: nowhere at all; not for installers, though by MCP; or not in the index for
 * installers, though at its own address.
 */
type UnpublishedWhere = 'everywhere' | 'for-installers' | 'in-index';

/** Told why a skill is found but not published. */
export type UnpublishedListener = (id: string, reason: string, where: UnpublishedWhere) => void;
