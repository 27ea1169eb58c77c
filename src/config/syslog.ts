// The address of a syslog: protocol, host and port, or a socket file.

export type SyslogAddress =
  | { readonly protocol: 'tcp' | 'udp'; readonly host: string; readonly port: number }
  | { readonly protocol: 'unix'; readonly path: string }

/**
 * An address such as `tcp://127.0.0.1:601`, `udp://[::1]:514` or `unix:///run/audit.sock`. Throws an Error
 * whose message continues a name.
 */
export function syslogAddress(text: string): SyslogAddress {
  if (/^(unix:\/\/)?\/dev\/log$/.test(text))
    throw new Error(
      'must not be /dev/log, which takes datagrams only: have the syslog listen on the loopback, and give tcp://127.0.0.1:601, or on a stream socket, and give unix:///run/audit.sock',
    )
  const [, path] = /^unix:\/\/(\/[^\0]+)$/.exec(text) ?? []
  if (path) return { protocol: 'unix', path }
  const [, protocol, v6, plain, port = ''] =
    /^(tcp|udp):\/\/(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = v6 ?? plain
  if (!host || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(
      'must be an address such as tcp://127.0.0.1:601, udp://127.0.0.1:514 or unix:///run/audit.sock',
    )
  return { protocol: protocol?.toLowerCase() === 'udp' ? 'udp' : 'tcp', host, port: Number(port) }
}
