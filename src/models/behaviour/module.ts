// Module declarations: a name, what it needs, its models, its data.

import type { Module } from '../language/module.ts'

/** A placeholder for the id of a record known by its external id. */
export class Ref {
  readonly xmlid: string
  constructor(xmlid: string) {
    this.xmlid = xmlid
  }
}

/** The id of the record behind an external id such as `base.us`, looked up when the data is loaded. */
export const ref = (xmlid: string): Ref => new Ref(xmlid)

/** Declares a module. */
export function defineModule(module: Module): Module {
  return Object.freeze({ ...module })
}
