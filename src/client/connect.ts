// The way into a server: one set of options, from which models are reached.
import type { ModelName } from '#models'
import { InvalidValue } from '../errors.ts'
import { ModelClient } from './model.ts'
import { type CallOptions, type ConnectOptions, send } from './transport.ts'

export interface Version {
  readonly version: string
  readonly version_info: readonly [major: number, minor: number, micro: number, level: string, serial: number, suffix: string]
}

/** The user whom the key belongs to. */
export interface UserContext {
  readonly uid: number
  readonly lang: string
  readonly tz: string | false
}

/** A server and a database seen with one key. Holds no connection and nothing to close. */
export class Client {
  readonly #options: ConnectOptions

  constructor(options: ConnectOptions) {
    this.#options = options
  }

  /** A model; its fields and methods are typed when it is in view of `#models`, loose otherwise. Nothing is sent. */
  model<const N extends ModelName | (string & {})>(name: N): ModelClient<N> {
    return new ModelClient(name, this.#options)
  }

  /** The same client with more context for every call. */
  withContext(context: Readonly<Record<string, unknown>>): Client {
    return new Client({ ...this.#options, context: { ...this.#options.context, ...context } })
  }

  /** Id, language and time zone of the key's user (spec/external-api.md, endpoint 4). */
  async userContext(options: CallOptions = {}): Promise<UserContext> {
    return (await new ModelClient<string>('res.users', this.#options).call('context_get', {}, options)) as UserContext
  }

  /** Version of the server (spec/external-api.md, endpoint 5). */
  async version(options: CallOptions = {}): Promise<Version> {
    return (await send(this.#options, { method: 'GET', path: '/web/version', safe: true }, options)) as Version
  }
}

/** A client for a server. Sends nothing yet. Throws InvalidValue for an address that is no http or https URL. */
export function connect(options: ConnectOptions): Client {
  if (!/^https?:\/\//i.test(options.url) || !URL.canParse(options.url)) throw new InvalidValue('url must be an http or https address.')
  return new Client(options)
}
