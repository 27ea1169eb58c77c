// The wizard that brings languages in: it switches them on and enters the terms that modules have
// (base.language.install).

import { loadTerms } from '#engine'
import { boolean, implement, many2many, type Of, transient } from '#models'
import { UserError } from '../../../errors.ts'
import { actionMethod } from '../shown.ts'

const install = transient('base.language.install', {
  label: 'Install Language',
  fields: {
    // Languages that are not in use yet are the ones to choose.
    lang_ids: many2many('res.lang', { label: 'Languages', required: true, context: { active_test: false } }),
    overwrite: boolean({
      label: 'Overwrite Existing Terms',
      default: true,
      help: 'Names that somebody changed in this language are replaced by the official ones.',
    }),
  },
  methods: {
    lang_install: actionMethod(
      'Activates the languages and loads their terms; writing `active` on a language alone loads none.',
    ),
    switch_lang: actionMethod("Sets the first of the languages as the caller's language."),
  },
})

declare module '#models' {
  interface Models {
    'base.language.install': LanguageInstall
  }
  interface LanguageInstall extends Of<typeof install> {}
}

export default implement(install, {
  methods: {
    /** Throws UserError when no language was chosen, AccessError for who may not change languages. */
    lang_install: async (wizards) => {
      const { env } = wizards
      const { lang_ids, overwrite } = await wizards.one(['lang_ids', 'overwrite'])
      const ids = lang_ids.map(({ id }) => id)
      if (ids.length === 0) throw new UserError('Choose at least one language to install.')
      const langs = env.model('res.lang').browse(ids)
      await langs.write({ active: true })
      const codes = (await langs.load(['code'])).map(({ code }) => code)
      await loadTerms(env, codes, { overwrite })
      return { type: 'ir.actions.client', tag: 'reload', context: { ...env.context, lang_ids: ids } }
    },
    /** Throws UserError for a language that is not in use. */
    switch_lang: async (wizards) => {
      const { env } = wizards
      const { lang_ids } = await wizards.one(['lang_ids.code', 'lang_ids.active'])
      const [first] = lang_ids
      if (!first?.active) throw new UserError('Choose a language, and install it before you switch to it.')
      await env
        .model('res.users')
        .browse([env.uid])
        .invoke('write', { vals: { lang: first.code } })
      return { type: 'ir.actions.client', tag: 'reload_context' }
    },
  },
})
