// The address of a syslog: protocol, host and port.

export interface SyslogAddress {
  readonly protocol: 'tcp' | 'udp'
  readonly host: string
  readonly port: number
}

/** An address such as `tcp://127.0.0.1:601` or `udp://[::1]:514`. Throws an Error that goes on after a name. */
export function syslogAddress(text: string): SyslogAddress {
  const [, protocol, v6, plain, port = ''] =
    /^(tcp|udp):\/\/(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = v6 ?? plain
  if (!host || Number(port) < 1 || Number(port) > 65_535)
    throw new Error('must be an address such as tcp://127.0.0.1:601 or udp://127.0.0.1:514')
  return { protocol: protocol?.toLowerCase() === 'udp' ? 'udp' : 'tcp', host, port: Number(port) }
}
