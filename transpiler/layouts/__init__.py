"""Where a message field lives in a DataFrame: layouts as data, and the columns of each."""
