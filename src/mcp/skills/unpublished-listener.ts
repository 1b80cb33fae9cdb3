/**
 * Where a skill is not published: nowhere at all; not for installers, though by MCP; or not in the index for
 * installers, though at its own address.
 */
export type UnpublishedWhere = 'everywhere' | 'for-installers' | 'in-index';

/** Told why a skill is found but not published. */
export type UnpublishedListener = (id: string, reason: string, where: UnpublishedWhere) => void;
