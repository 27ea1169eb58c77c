// The shop that a start creates on a server without databases. The primary process of `serve` uses it too, so
// it must not load the engine.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, Shop } from '../config/index.ts'

/** Stands in a data directory from its first run on. */
export const markOf = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'first-run')

/**
 * The shop of a first run; none later, as the last database was dropped on purpose. An external server gets a
 * shop only if the settings ask for it.
 */
export function shopOf(config: Config): Shop {
  if (existsSync(markOf(config))) return 'none'
  return config.shop ?? (config.databaseUrl === undefined ? 'demo' : 'none')
}
