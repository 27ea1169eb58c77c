// Upgrading a database step by step, while nodes of the build before go on serving it.
import {
  contract,
  type Databases,
  expand,
  migrate,
  type Progress,
  planOf,
  type UpgradePlan,
} from '../databases/index.ts'
import type { Module } from '../models/index.ts'
import type { Unit } from '../models/language/unit.ts'
import { moduleEntries } from './admin.ts'

export type UpgradeStep = 'expand' | 'migrate' | 'contract'

export interface StepOptions {
  readonly step: UpgradeStep
  /** Contract although nodes of another build are there. */
  readonly force?: boolean
  readonly progress?: Progress
}

/**
 * Takes a step; gives what people should know of it. Throws UserError where it may not be taken yet,
 * ServiceUnavailable while another process is at it.
 */
export async function takeStep(
  server: Databases,
  name: string,
  { step, force = false, progress }: StepOptions,
): Promise<readonly string[]> {
  const record = async (unit: Unit, modules: readonly Module[]): Promise<void> => {
    await unit.query(moduleEntries('module.upgrade', modules, undefined))
  }
  return server.upgradeBy(name, { progress, record }, async (ground) => {
    if (step === 'expand') await expand(ground)
    else if (step === 'migrate') await migrate(ground)
    else await contract(ground, { force })
    return ground.notes
  })
}

/** The steps that an upgrade would take. */
export const upgradePlan = (server: Databases, name: string): Promise<UpgradePlan> =>
  server.upgradeBy(name, {}, planOf)
