// Outgoing mail servers (ir.mail_server): their settings; user name and password are for administrators only.
import { binary, boolean, char, float, implement, integer, model, type Of, selection } from '#models'

const mailServer = model('ir.mail_server', {
  label: 'Mail Server',
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Name', required: true, index: true }),
    from_filter: char({ label: 'FROM Filtering', help: 'Addresses or domains that this server sends for.' }),
    smtp_host: char({ label: 'SMTP Server' }),
    smtp_port: integer({ label: 'SMTP Port', default: 25 }),
    smtp_authentication: selection(
      { login: 'Username', certificate: 'SSL Certificate', cli: 'Command Line Interface' },
      {
        label: 'Authenticate with',
        required: true,
        default: 'login',
      },
    ),
    smtp_user: char({ label: 'Username', groups: 'base.group_system' }),
    smtp_pass: char({ label: 'Password', groups: 'base.group_system' }),
    smtp_encryption: selection(
      { none: 'None', starttls: 'TLS (STARTTLS)', ssl: 'SSL/TLS' },
      {
        label: 'Connection Encryption',
        required: true,
        default: 'none',
      },
    ),
    smtp_ssl_certificate: binary({
      label: 'SSL Certificate',
      groups: 'base.group_system',
      attachment: false,
      help: 'Client certificate in PEM format, for mail servers that require one.',
    }),
    smtp_ssl_private_key: binary({
      label: 'SSL Private Key',
      groups: 'base.group_system',
      attachment: false,
    }),
    smtp_debug: boolean({ label: 'Debugging' }),
    max_email_size: float({ label: 'Max Email Size' }),
    sequence: integer({ label: 'Priority', default: 10 }),
    active: boolean({ label: 'Active', default: true }),
  },
})

declare module '#models' {
  interface Models {
    'ir.mail_server': MailServer
  }
  interface MailServer extends Of<typeof mailServer> {}
}

export default implement(mailServer)
