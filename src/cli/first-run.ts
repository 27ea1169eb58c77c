// The shop that a start makes on a server that has no database yet. The primary process of `serve` asks it
// too, so it loads nothing of the engine.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, Shop } from '../config/index.ts'

/** Stands in a data directory from its first run on. */
export const markOf = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'first-run')

/**
 * The shop of a first run; none in every later one: a last database was dropped on purpose. A server of
 * somebody's own gets what was asked for alone.
 */
export function shopOf(config: Config): Shop {
  if (existsSync(markOf(config))) return 'none'
  return config.shop ?? (config.databaseUrl === undefined ? 'demo' : 'none')
}
