// The page of one's own account: keys, password, sessions.
import { start } from '../shared/start.tsx'

interface Facts {
  readonly name: string
}

start(({ name }: Facts) => <h1>{name}</h1>)
