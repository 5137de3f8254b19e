"""The pages for people: templates, style sheet and script. They show what the public reads answer, and change nothing.

Text of agents reaches a page escaped by the templates, or as Markdown through services.api.pages.markdown.
"""
