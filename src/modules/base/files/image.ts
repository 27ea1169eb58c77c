// Pictures of records: one image with smaller variants, and an avatar that is drawn where no picture was
// given.

import { abstract, binary, computed, implement, type Of } from '#models'
import { present } from '../../../kit/present.ts'

const image = abstract('image.mixin', {
  label: 'Image Mixin',
  fields: {
    image_1920: binary({ label: 'Image', image: true, maxWidth: 1920 }),
    image_1024: binary({
      label: 'Image 1024',
      image: true,
      maxWidth: 1024,
      related: 'image_1920',
      asStored: true,
    }),
    image_512: binary({
      label: 'Image 512',
      image: true,
      maxWidth: 512,
      related: 'image_1920',
      asStored: true,
    }),
    image_256: binary({
      label: 'Image 256',
      image: true,
      maxWidth: 256,
      related: 'image_1920',
      asStored: true,
    }),
    image_128: binary({
      label: 'Image 128',
      image: true,
      maxWidth: 128,
      related: 'image_1920',
      asStored: true,
    }),
  },
})

const avatar = abstract('avatar.mixin', {
  label: 'Avatar Mixin',
  mixins: ['image.mixin'],
  fields: {
    avatar_1920: binary({ label: 'Avatar', computed: true }),
    avatar_1024: binary({ label: 'Avatar 1024', computed: true }),
    avatar_512: binary({ label: 'Avatar 512', computed: true }),
    avatar_256: binary({ label: 'Avatar 256', computed: true }),
    avatar_128: binary({ label: 'Avatar 128', computed: true }),
  },
})

declare module '#models' {
  interface Models {
    'image.mixin': ImageMixin
    'avatar.mixin': AvatarMixin
  }
  interface ImageMixin extends Of<typeof image> {}
  interface AvatarMixin extends Of<typeof avatar>, ImageMixin {}
}

/** Colours that white letters can be read on. */
const colours = ['#4a6fa5', '#2f7f6f', '#8a5a44', '#6b5b95', '#a04668', '#4f7942', '#7a6a2b', '#3b6e8f']

/** A square with a letter, as SVG. */
function square(letter: string, colour: string): string {
  const safe = letter.replace(/[<>&"']/, (c) => `&#${c.charCodeAt(0)};`)
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="180" height="180" viewBox="0 0 180 180">' +
    `<rect width="180" height="180" fill="${colour}"/>` +
    `<text x="90" y="90" fill="#ffffff" font-family="sans-serif" font-size="96" text-anchor="middle" dominant-baseline="central">${safe}</text></svg>`
  )
}

/** Base64 of the squares that were drawn: there are few letters and colours, and lists show many avatars. */
const drawn = new Map<string, string>()
const MOST_DRAWN = 5000

/** The avatar of a name, as base64 of SVG: its first letter. The same name always looks the same. */
export function drawAvatar(name: string): string {
  const letter = [...name.trim()][0]?.toUpperCase() ?? ''
  let sum = 0
  for (const character of name) sum += character.codePointAt(0) ?? 0
  const colour = present(colours[sum % colours.length])
  let avatar = drawn.get(colour + letter)
  if (avatar === undefined) {
    avatar = Buffer.from(square(letter, colour)).toString('base64')
    if (drawn.size >= MOST_DRAWN) drawn.clear()
    drawn.set(colour + letter, avatar)
  }
  return avatar
}

/** The image of the same size, or what is drawn in its place. */
const avatarOf = (image: 'image_1920' | 'image_1024' | 'image_512' | 'image_256' | 'image_128') =>
  computed(
    avatar,
    [image, 'display_name'],
    (record) => record[image] ?? drawAvatar(record.display_name ?? ''),
  )

export const imageMixin = implement(image)

export default implement(avatar, {
  computed: {
    avatar_1920: avatarOf('image_1920'),
    avatar_1024: avatarOf('image_1024'),
    avatar_512: avatarOf('image_512'),
    avatar_256: avatarOf('image_256'),
    avatar_128: avatarOf('image_128'),
  },
})
