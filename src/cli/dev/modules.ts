// The modules under development: those of the files that `--addons` names.
import type { Config } from '../../config/index.ts'
import { modules } from '../../main.ts'
import { modulesOf } from '../../opening.ts'

/**
 * Names of the modules of a configuration's addons, each after what it needs. Throws StartupError for files
 * that do not load.
 */
export async function modulesIn(config: Config): Promise<readonly string[]> {
  const moduleNames = new Set(modules.map(({ name }) => name))
  return (await modulesOf(config)).map(({ name }) => name).filter((name) => !moduleNames.has(name))
}
