/** How pictures are sent to a terminal: the graphics of kitty, the inline images of iTerm2, or sixels as of DEC. */
export const pictureProtocols = ['kitty', 'iterm2', 'sixel'] as const;

export type PictureProtocol = (typeof pictureProtocols)[number];
