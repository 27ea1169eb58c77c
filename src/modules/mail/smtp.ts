// Letters to servers, over SMTP.
import { isIP } from 'node:net'
import type { Transporter } from 'nodemailer'
import { messageOf } from '../../kit/caught.ts'
import type { failureTypes } from './notification.ts'

/** A row of ir.mail_server. */
export interface Server {
  readonly id: number
  readonly smtp_host: string | null
  readonly smtp_port: number
  readonly smtp_user: string | null
  readonly smtp_pass: string | null
  readonly smtp_encryption: string
  readonly from_filter: string | null
  readonly max_email_size: number
  readonly smtp_authentication: string
  readonly smtp_ssl_certificate: string | null
  readonly smtp_ssl_private_key: string | null
}

export interface Letter {
  readonly from: string | null
  readonly replyTo: string | null
  readonly to: readonly string[]
  readonly cc: string | null
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly messageId: string
  readonly files: readonly {
    readonly name: string
    readonly mimetype: string | null
    readonly content: Buffer | null
  }[]
}

/** Why a letter was not taken; a final one is not tried again. */
export interface Failure {
  readonly type: keyof typeof failureTypes
  readonly reason: string
  readonly isFinal: boolean
}

export const failureOf = (type: Failure['type'], reason: string, isFinal: boolean): Failure => ({
  type,
  reason,
  isFinal,
})

const SECONDS = 1000
/** Addresses that one letter may go to. */
const MOST_ADDRESSES = 500
/** Codes of errors that are about one letter; all others are about its server. */
const ofLetter = new Set<unknown>(['EENVELOPE', 'EMESSAGE', 'ESTREAM'])
/** Answers to letters that are about the server: it closes, or wants to know its client first. */
const ofServer = new Set([421, 530])

/**
 * A letter that is refused leaves its server to the other letters. Refusals are final unless the server says
 * that it may take the letter later; a server that cannot be reached, or does not let its client in, is
 * tried again.
 */
function failureFrom(error: unknown): { readonly failure: Failure; readonly isDown: boolean } {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const response = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0
  const isDown = code !== undefined && !(ofLetter.has(code) && !ofServer.has(response))
  const isFinal = !isDown && !(response >= 400 && response < 500)
  return {
    failure: failureOf(isFinal ? 'mail_email_invalid' : 'mail_smtp', messageOf(error), isFinal),
    isDown,
  }
}

/** Fields of a server that a connection needs. */
export const serverPaths = [
  'smtp_host',
  'smtp_port',
  'smtp_user',
  'smtp_pass',
  'smtp_encryption',
  'smtp_authentication',
  'smtp_ssl_certificate',
  'smtp_ssl_private_key',
  'from_filter',
  'max_email_size',
] as const

const pem = (base64: string | null) => (base64 ? Buffer.from(base64, 'base64').toString('utf8') : undefined)

/** Options of a connection to a server; `address` if its name has been looked up already. */
const optionsFor = (server: Server, address = server.smtp_host ?? 'localhost') => ({
  host: address,
  port: server.smtp_port,
  secure: server.smtp_encryption.startsWith('ssl'),
  requireTLS: server.smtp_encryption.startsWith('starttls'),
  ignoreTLS: server.smtp_encryption === 'none',
  ...(server.smtp_authentication !== 'certificate' &&
    server.smtp_user && { auth: { user: server.smtp_user, pass: server.smtp_pass ?? '' } }),
  tls: {
    ...(server.smtp_host && !isIP(server.smtp_host) && { servername: server.smtp_host }),
    ...(server.smtp_authentication === 'certificate' && {
      cert: pem(server.smtp_ssl_certificate),
      key: pem(server.smtp_ssl_private_key),
    }),
  },
  connectionTimeout: 10 * SECONDS,
  greetingTimeout: 10 * SECONDS,
  socketTimeout: 20 * SECONDS,
  // Nothing but what is given is read: no files of the machine, no addresses of the network.
  disableFileAccess: true,
  disableUrlAccess: true,
})

/** Connects to an address of a server and logs in. Null where it lets this server in, else why not. */
export async function probe(server: Server, address: string): Promise<string | null> {
  const { createTransport } = await import('nodemailer')
  const transporter = createTransport(optionsFor(server, address))
  try {
    await transporter.verify()
    return null
  } catch (error) {
    return messageOf(error)
  } finally {
    transporter.close()
  }
}

/** Brings letters to servers, a connection for each server. */
export class Postman {
  readonly #ways = new Map<number, Transporter>()
  /** Servers that could not be reached: they are not asked again in this round. */
  readonly #down = new Map<number, Failure>()

  async #to(server: Server): Promise<Transporter> {
    const open = this.#ways.get(server.id)
    if (open) return open
    // Most processes send no mail, and start without this.
    const { createTransport } = await import('nodemailer')
    const way = createTransport({ ...optionsFor(server), pool: true, maxConnections: 1 })
    this.#ways.set(server.id, way)
    return way
  }

  /** Null where the server took the letter. */
  async deliver(server: Server | null, letter: Letter): Promise<Failure | null> {
    if (!server)
      return failureOf('mail_from_invalid', 'No mail server is configured for this sender address.', true)
    if (!letter.from) return failureOf('mail_from_missing', 'The author has no e-mail address.', true)
    if (letter.to.length === 0 && !letter.cc)
      return failureOf('mail_email_missing', 'The recipient has no e-mail address.', true)
    if ([...letter.to, letter.cc ?? ''].join(',').split(/[,;]/).length > MOST_ADDRESSES)
      return failureOf(
        'mail_email_invalid',
        `Too many recipients: a mail may have at most ${MOST_ADDRESSES} addresses. Send several mails.`,
        true,
      )
    const down = this.#down.get(server.id)
    if (down) return down
    try {
      const way = await this.#to(server)
      await way.sendMail({
        from: letter.from,
        to: [...letter.to],
        ...(letter.cc && { cc: letter.cc }),
        ...(letter.replyTo && { replyTo: letter.replyTo }),
        subject: letter.subject,
        html: letter.html,
        text: letter.text,
        messageId: letter.messageId,
        attachments: letter.files.map(({ name, mimetype, content }) => ({
          filename: name,
          content: content ?? '',
          ...(mimetype && { contentType: mimetype }),
        })),
      })
      return null
    } catch (error) {
      const { failure, isDown } = failureFrom(error)
      if (isDown) this.#down.set(server.id, failure)
      return failure
    }
  }

  close(): void {
    for (const way of this.#ways.values()) way.close()
  }
}
