/** What stands for an installation in the columns of a catalogue. Neither an agent nor a scope has a slash. */
export function installationKey(agent: string, scope: string): string {
  return `${agent}/${scope}`;
}

/** The agent and the scope that a key stands for. */
export function partsOfInstallation(key: string): { readonly agent: string; readonly scope: string } {
  const slash = key.indexOf('/');
  return { agent: key.slice(0, slash), scope: key.slice(slash + 1) };
}
