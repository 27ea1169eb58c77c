// The list of all modules, in an order in which each comes after what it needs. The one file that knows them all.
import type { Module } from '#models'
import { base } from './base/index.ts'

export const modules: readonly Module[] = [base]
