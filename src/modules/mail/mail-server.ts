// The check of outgoing mail servers (ir.mail_server): whether they answer, and let this server in.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { extend, implement, type Of, optional, returns } from '#models'
import { UserError } from '../../errors.ts'
import { mayReach } from '../../kit/outgoing.ts'
import { assertAllowedAndExisting } from '../base/index.ts'
import { probe, serverPaths } from './smtp.ts'

const server = extend('ir.mail_server', {
  fields: {},
  methods: {
    test_smtp_connection: {
      doc: 'Connects to the servers and logs in; sends nothing. Servers at private addresses have to be allowed, as for webhooks.',
      readonly: true,
      params: {
        autodetect_max_email_size: optional<boolean>('boolean', false, {
          doc: 'Not needed: max_email_size is typed',
          annotation: 'bool',
        }),
      },
      returns: returns<object>('object', 'dict', 'An action that shows the result'),
    },
  },
})

declare module '#models' {
  interface MailServer extends Of<typeof server> {}
}

/** An address of a host that may be reached. Throws UserError without one. */
async function addressOf(name: string, host: string): Promise<string> {
  const addresses = isIP(host)
    ? [host]
    : (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address)
  const address = addresses.find(mayReach)
  if (address) return address
  throw new UserError(
    addresses.length
      ? `The mail server ${name} is at a private address (${host}): allow it with --outgoing-allow.`
      : `The mail server ${name} was not found: check its address (${host}).`,
  )
}

export default implement(server, {
  methods: {
    test_smtp_connection: async (servers) => {
      await assertAllowedAndExisting(servers, 'write')
      const rows = await servers.sudo().load(['name', ...serverPaths])
      for (const row of rows) {
        const host = row.smtp_host ?? 'localhost'
        const reason = await probe(row, await addressOf(row.name, host))
        if (reason) throw new UserError(`The mail server ${row.name} does not take mails: ${reason}`)
      }
      return {
        type: 'ir.actions.client',
        tag: 'display_notification',
        params: { message: 'Connection test successful.', type: 'success', sticky: false },
      }
    },
  },
})
