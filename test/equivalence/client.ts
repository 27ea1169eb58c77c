// A client of one side: sends calls in the names of people, and has each exchange recorded.
import type { Exchange } from './exchange.ts'
import { DATABASE, type Side } from './side.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface Sending {
  /** Login of who calls; the administrator by default. */
  readonly as?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Client {
  readonly lane: number
  /** `POST` of JSON to a path. */
  post(path: string, body: unknown, sending?: Sending): Promise<Answer>
  /** A call of a method, `model/method`. */
  call(path: string, body: object, sending?: Sending): Promise<Answer>
  /** As `call`; gives the body. Throws for anything but 200. */
  ask<T = unknown>(path: string, body: object, sending?: Sending): Promise<T>
  /** The id of an external id. */
  ref(externalId: string): Promise<number>
}

/** Answers of calls that failed, as a record that compares empty: a client goes on without. */
export async function clientOf(side: Side, { lane }: { readonly lane: number }): Promise<Client> {
  const keys = new Map<string, Promise<string>>()
  const keyOf = (login: string): Promise<string> => {
    const key = keys.get(login) ?? side.key(login)
    keys.set(login, key)
    return key
  }
  const post: Client['post'] = async (path, body, { as = 'admin', headers = {} } = {}) => {
    const exchange = await side.recorder.send({
      lane,
      method: 'POST',
      path,
      headers: {
        authorization: `bearer ${await keyOf(as)}`,
        'content-type': 'application/json',
        'x-service-database': DATABASE,
        ...headers,
      },
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    })
    return { status: exchange.status, headers: exchange.headers, body: bodyOf(exchange) }
  }
  const call: Client['call'] = (path, body, sending) => post(`/json/2/${path}`, body, sending)
  const ask = async <T>(path: string, body: object, sending?: Sending): Promise<T> => {
    const answer = await call(path, body, sending)
    if (answer.status !== 200)
      throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 800)}`)
    return answer.body as T
  }
  return {
    lane,
    post,
    call,
    ask,
    async ref(externalId) {
      const [module, name] = externalId.split('.')
      const domain = [
        ['module', '=', module],
        ['name', '=', name],
      ]
      const [row] = await ask<{ res_id: number }[]>('ir.model.data/search_read', {
        domain,
        fields: ['res_id'],
      })
      if (!row) throw new Error(`There is no ${externalId}.`)
      return row.res_id
    },
  }
}

function bodyOf({ body }: Exchange): unknown {
  const text = body.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
