/**
 * An address of PostgreSQL with the first of its hosts, and one for each of the others. With several hosts and ports it
 * is no URL, but each of these is, if anything is.
 */
export function splitHosts(address: string): readonly [first: string, ...others: string[]] {
  const [, scheme = '', user = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/is.exec(address) ?? [];
  const [first = '', ...others] = hosts.split(',');
  return [`${scheme}${user}${first}${rest}`, ...others.map((host) => `${scheme}${host}`)];
}
