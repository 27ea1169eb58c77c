// Settings of a store of files: its address and credentials.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { StartupError } from '../errors.ts'

export interface StorePlace {
  /** Address without a slash at the end. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Begins the names of all objects; empty, or with a slash at the end. */
  readonly prefix: string
}

export interface StoreCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** `s3://bucket/prefix?endpoint=https://…&region=…`; without an endpoint it is Amazon's. Throws an Error. */
export function storePlace(text: string): StorePlace {
  const wrong = (why: string) =>
    new Error(`must be an address such as s3://bucket/prefix?region=eu-west-1${why}`)
  if (!URL.canParse(text)) throw wrong('')
  const { protocol, host: bucket, pathname, username, password, searchParams } = new URL(text)
  if (protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw wrong('')
  if (username || password) throw wrong(', without credentials: pass them in the environment or a file')
  const region = searchParams.get('region') ?? 'us-east-1'
  const endpoint = (searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '')
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) throw wrong('')
  const unknown = [...searchParams.keys()].find((name) => name !== 'region' && name !== 'endpoint')
  if (unknown) throw wrong(`; unknown parameter ${unknown}`)
  const path = pathname.replaceAll(/^\/+|\/+$/g, '')
  if (!/^[\w./-]*$/.test(path)) throw wrong(', with letters, digits and -._/ in its prefix')
  return { endpoint, region, bucket, prefix: path && `${path}/` }
}

/** The lines of a file as other tools have them: `aws_access_key_id = …`. Throws an Error. */
export function storeCredentials(path: string, base: string): StoreCredentials {
  const text = readFileSync(resolve(base, path), 'utf8')
  const value = (name: string) => new RegExp(`^\\s*${name}\\s*=\\s*(\\S+)`, 'm').exec(text)?.[1]
  const [accessKeyId, secretAccessKey] = [value('aws_access_key_id'), value('aws_secret_access_key')]
  const sessionToken = value('aws_session_token')
  if (!accessKeyId || !secretAccessKey)
    throw new Error('must name a file with lines for aws_access_key_id and aws_secret_access_key')
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
}

/** Those of the file, or the environment. Throws StartupError. */
export function credentialsOf(
  explicit: StoreCredentials | undefined,
  env: Readonly<Record<string, string | undefined>>,
): StoreCredentials {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: token,
  } = env
  if (explicit) return explicit
  if (!accessKeyId || !secretAccessKey)
    throw new StartupError(
      '--files needs credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or --files-credentials-file.',
    )
  return { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) }
}
